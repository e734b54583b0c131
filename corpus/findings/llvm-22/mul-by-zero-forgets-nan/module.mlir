module {
  func.func @main(%arg0: tensor<1xf16>) -> tensor<1xf16> {
    %0 = "tosa.const"() <{values = dense<0.000000e+00> : tensor<1xf16>}> : () -> tensor<1xf16>
    %1 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %2 = tosa.mul %arg0, %0, %1 : (tensor<1xf16>, tensor<1xf16>, tensor<1xi8>) -> tensor<1xf16>
    return %2 : tensor<1xf16>
  }
}

