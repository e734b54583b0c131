module {
  func.func @main(%arg0: tensor<4x1x2x3xbf16>) -> tensor<1x2x3xi32> {
    %0 = tosa.argmax %arg0 {axis = 0 : i32} : (tensor<4x1x2x3xbf16>) -> tensor<1x2x3xi32>
    return %0 : tensor<1x2x3xi32>
  }
}

