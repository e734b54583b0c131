module {
  func.func @main(%arg0: tensor<1x2xi16>, %arg1: tensor<4xi16>, %arg2: tensor<i1>) -> tensor<1x2xi16> {
    %0 = tosa.cond_if %arg2 (%arg3 = %arg0, %arg4 = %arg1) : tensor<i1> (tensor<1x2xi16>, tensor<4xi16>) -> tensor<1x2xi16> {
    ^bb0(%arg3: tensor<1x2xi16>, %arg4: tensor<4xi16>):
      %1 = "tosa.const"() <{values = dense<true> : tensor<i1>}> : () -> tensor<i1>
      %2 = tosa.cond_if %1 (%arg5 = %arg3, %arg6 = %arg4) : tensor<i1> (tensor<1x2xi16>, tensor<4xi16>) -> tensor<1x2xi16> {
      ^bb0(%arg5: tensor<1x2xi16>, %arg6: tensor<4xi16>):
        %3 = tosa.reverse %arg5 {axis = 0 : i32} : (tensor<1x2xi16>) -> tensor<1x2xi16>
        tosa.yield %3 : tensor<1x2xi16>
      } else {
      ^bb0(%arg5: tensor<1x2xi16>, %arg6: tensor<4xi16>):
        %3 = tosa.identity %arg5 : (tensor<1x2xi16>) -> tensor<1x2xi16>
        tosa.yield %3 : tensor<1x2xi16>
      }
      tosa.yield %2 : tensor<1x2xi16>
    } else {
    ^bb0(%arg3: tensor<1x2xi16>, %arg4: tensor<4xi16>):
      %1 = tosa.identity %arg3 : (tensor<1x2xi16>) -> tensor<1x2xi16>
      tosa.yield %1 : tensor<1x2xi16>
    }
    return %0 : tensor<1x2xi16>
  }
}

