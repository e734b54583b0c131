module {
  func.func @main(%arg0: tensor<2x1x1xbf16>) -> tensor<1x1x1xbf16> {
    %0 = tosa.reduce_max %arg0 {axis = 0 : i32} : (tensor<2x1x1xbf16>) -> tensor<1x1x1xbf16>
    return %0 : tensor<1x1x1xbf16>
  }
}

