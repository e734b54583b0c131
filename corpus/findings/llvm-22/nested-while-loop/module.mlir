module {
  func.func @main(%arg0: tensor<1xi16>) -> tensor<1xi16> {
    %0 = tosa.while_loop (%arg1 = %arg0) : (tensor<1xi16>) -> tensor<1xi16> {
      %1 = "tosa.const"() <{values = dense<false> : tensor<i1>}> : () -> tensor<i1>
      tosa.yield %1 : tensor<i1>
    } do {
    ^bb0(%arg1: tensor<1xi16>):
      %1 = tosa.while_loop (%arg2 = %arg1) : (tensor<1xi16>) -> tensor<1xi16> {
        %2 = "tosa.const"() <{values = dense<false> : tensor<i1>}> : () -> tensor<i1>
        tosa.yield %2 : tensor<i1>
      } do {
      ^bb0(%arg2: tensor<1xi16>):
        %2 = tosa.identity %arg2 : (tensor<1xi16>) -> tensor<1xi16>
        tosa.yield %2 : tensor<1xi16>
      }
      tosa.yield %1 : tensor<1xi16>
    }
    return %0 : tensor<1xi16>
  }
}

