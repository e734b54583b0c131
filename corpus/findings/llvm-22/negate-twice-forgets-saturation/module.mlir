module {
  func.func @main(%arg0: tensor<1x1x4x1x1xi16>) -> tensor<1x1x4x1x1xi16> {
    %0 = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
    %1 = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
    %2 = tosa.negate %arg0, %0, %1 : (tensor<1x1x4x1x1xi16>, tensor<1xi16>, tensor<1xi16>) -> tensor<1x1x4x1x1xi16>
    %3 = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
    %4 = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
    %5 = tosa.negate %2, %3, %4 : (tensor<1x1x4x1x1xi16>, tensor<1xi16>, tensor<1xi16>) -> tensor<1x1x4x1x1xi16>
    return %5 : tensor<1x1x4x1x1xi16>
  }
}

