module {
  func.func @main(%arg0: tensor<1x1x1x1xbf16>) -> tensor<1x1x1x1xbf16> {
    %0 = tosa.const_shape  {values = dense<[0, 0, 0, 0, 0, 1, 0, 0]> : tensor<8xindex>} : () -> !tosa.shape<8>
    %1 = "tosa.const"() <{values = dense<-3.389530e+38> : tensor<1xbf16>}> : () -> tensor<1xbf16>
    %2 = tosa.pad %arg0, %0, %1 : (tensor<1x1x1x1xbf16>, !tosa.shape<8>, tensor<1xbf16>) -> tensor<1x1x2x1xbf16>
    %3 = tosa.max_pool2d %2 {kernel = array<i64: 1, 2>, nan_mode = IGNORE, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x1x2x1xbf16>) -> tensor<1x1x1x1xbf16>
    return %3 : tensor<1x1x1x1xbf16>
  }
}

