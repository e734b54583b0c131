module {
  func.func @main(%arg0: tensor<1x1x3x2xi32>) -> tensor<1x1x3x2xbf16> {
    %0 = tosa.cast %arg0 : (tensor<1x1x3x2xi32>) -> tensor<1x1x3x2xbf16>
    return %0 : tensor<1x1x3x2xbf16>
  }
}

