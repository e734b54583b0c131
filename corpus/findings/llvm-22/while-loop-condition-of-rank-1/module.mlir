module {
  func.func @main(%arg0: tensor<4x1xi32>, %arg1: tensor<1xi32>) -> tensor<1xi32> {
    %0:3 = tosa.while_loop (%arg2 = %arg1, %arg3 = %arg1, %arg4 = %arg0) : (tensor<1xi32>, tensor<1xi32>, tensor<4x1xi32>) -> (tensor<1xi32>, tensor<1xi32>, tensor<4x1xi32>) {
      %1 = tosa.greater %arg3, %arg2 : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi1>
      tosa.yield %1 : tensor<1xi1>
    } do {
    ^bb0(%arg2: tensor<1xi32>, %arg3: tensor<1xi32>, %arg4: tensor<4x1xi32>):
      %1 = "tosa.const"() <{values = dense<1> : tensor<1xi32>}> : () -> tensor<1xi32>
      %2 = tosa.add %arg2, %1 : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>
      %3 = tosa.identity %arg3 : (tensor<1xi32>) -> tensor<1xi32>
      %4 = tosa.bitwise_and %arg4, %arg4 : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x1xi32>
      tosa.yield %2, %3, %4 : tensor<1xi32>, tensor<1xi32>, tensor<4x1xi32>
    }
    return %0#0 : tensor<1xi32>
  }
}

