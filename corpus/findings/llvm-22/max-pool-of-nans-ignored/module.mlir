module {
  func.func @main(%arg0: tensor<1x1x2x1xbf16>) -> tensor<1x1x2x1xbf16> {
    %0 = tosa.max_pool2d %arg0 {kernel = array<i64: 1, 1>, nan_mode = IGNORE, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x1x2x1xbf16>) -> tensor<1x1x2x1xbf16>
    return %0 : tensor<1x1x2x1xbf16>
  }
}

