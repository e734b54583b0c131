module {
  func.func @main(%arg0: tensor<1xi1>, %arg1: tensor<6x3x1xi32>, %arg2: tensor<1xi32>) -> tensor<6x3x1xi32> {
    %0:2 = tosa.cond_if %arg0 (%arg3 = %arg1, %arg4 = %arg2) : tensor<1xi1> (tensor<6x3x1xi32>, tensor<1xi32>) -> (tensor<6x3x1xi32>, tensor<1xi32>) {
    ^bb0(%arg3: tensor<6x3x1xi32>, %arg4: tensor<1xi32>):
      %1 = tosa.identity %arg3 : (tensor<6x3x1xi32>) -> tensor<6x3x1xi32>
      %2 = tosa.bitwise_xor %1, %1 : (tensor<6x3x1xi32>, tensor<6x3x1xi32>) -> tensor<6x3x1xi32>
      %3 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
      %4 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
      %5 = tosa.negate %arg4, %3, %4 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>
      tosa.yield %2, %5 : tensor<6x3x1xi32>, tensor<1xi32>
    } else {
    ^bb0(%arg3: tensor<6x3x1xi32>, %arg4: tensor<1xi32>):
      %1 = tosa.reverse %arg3 {axis = 0 : i32} : (tensor<6x3x1xi32>) -> tensor<6x3x1xi32>
      %2 = "tosa.const"() <{values = dense<2> : tensor<1xi32>}> : () -> tensor<1xi32>
      %3 = tosa.add %arg4, %2 : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>
      tosa.yield %1, %3 : tensor<6x3x1xi32>, tensor<1xi32>
    }
    return %0#0 : tensor<6x3x1xi32>
  }
}

