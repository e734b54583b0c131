module {
  func.func @main(%arg0: tensor<1x1x1x1x1x1xi1>) -> tensor<1x1x1x1x1x1xi1> {
    %0 = tosa.const_shape  {values = dense<0> : tensor<12xindex>} : () -> !tosa.shape<12>
    %1 = "tosa.const"() <{values = dense<false> : tensor<1xi1>}> : () -> tensor<1xi1>
    %2 = tosa.pad %arg0, %0, %1 : (tensor<1x1x1x1x1x1xi1>, !tosa.shape<12>, tensor<1xi1>) -> tensor<1x1x1x1x1x1xi1>
    return %2 : tensor<1x1x1x1x1x1xi1>
  }
}

