module {
  tosa.variable @state0 = dense<[[[[-2.500000e+00], [-9.765620e-04], [-3.143310e-02], [-6.103520e-05], [0.000000e+00], [0.000000e+00], [0.000000e+00], [0.000000e+00]]], [[[0.000000e+00], [0.000000e+00], [0.000000e+00], [0.000000e+00], [0.000000e+00], [0.000000e+00], [0.000000e+00], [0.000000e+00]]]]> : tensor<2x1x8x1xf16>
  func.func @main(%arg0: tensor<1x1x1x1xf16>) -> tensor<2x1x8x1xf16> {
    %0 = tosa.variable_read @state0 : tensor<2x1x8x1xf16>
    %1 = tosa.maximum %0, %arg0 : (tensor<2x1x8x1xf16>, tensor<1x1x1x1xf16>) -> tensor<2x1x8x1xf16>
    tosa.variable_write @state0, %1 : tensor<2x1x8x1xf16>
    return %0 : tensor<2x1x8x1xf16>
  }
}

