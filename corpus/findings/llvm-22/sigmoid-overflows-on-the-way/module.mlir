module {
  func.func @main(%arg0: tensor<2x2x2x2xf16>) -> tensor<2x2x2x2xf16> {
    %0 = tosa.sigmoid %arg0 : (tensor<2x2x2x2xf16>) -> tensor<2x2x2x2xf16>
    return %0 : tensor<2x2x2x2xf16>
  }
}

