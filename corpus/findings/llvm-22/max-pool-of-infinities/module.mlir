module {
  func.func @main(%arg0: tensor<6x1x1x2xf16>) -> tensor<6x1x1x2xf16> {
    %0 = tosa.max_pool2d %arg0 {kernel = array<i64: 3, 3>, pad = array<i64: 2, 0, 2, 0>, stride = array<i64: 1, 1>} : (tensor<6x1x1x2xf16>) -> tensor<6x1x1x2xf16>
    return %0 : tensor<6x1x1x2xf16>
  }
}

