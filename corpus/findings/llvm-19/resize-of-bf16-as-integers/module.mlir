module {
  func.func @main(%arg0: tensor<1x1x2x1xbf16>) -> tensor<1x1x1x1xbf16> {
    %0 = tosa.resize %arg0 {scale = array<i64: 1, 1, 1, 1>, offset = array<i64: 0, 1>, border = array<i64: 0, 0>, mode = "BILINEAR"} : (tensor<1x1x2x1xbf16>) -> tensor<1x1x1x1xbf16>
    return %0 : tensor<1x1x1x1xbf16>
  }
}
