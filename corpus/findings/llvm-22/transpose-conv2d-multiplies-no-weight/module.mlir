module {
  func.func @main(%arg0: tensor<1x2x1x1xf16>, %arg1: tensor<1xf16>, %arg2: tensor<1x1x2x1xf16>) -> tensor<1x1x4x1xf16> {
    %0 = "tosa.const"() <{values = dense<0.000000e+00> : tensor<1xf16>}> : () -> tensor<1xf16>
    %1 = "tosa.const"() <{values = dense<0.000000e+00> : tensor<1xf16>}> : () -> tensor<1xf16>
    %2 = tosa.transpose_conv2d %arg2, %arg0, %arg1, %0, %1 {acc_type = f32, out_pad = array<i64: 0, -1, 0, 0>, stride = array<i64: 1, 3>} : (tensor<1x1x2x1xf16>, tensor<1x2x1x1xf16>, tensor<1xf16>, tensor<1xf16>, tensor<1xf16>) -> tensor<1x1x4x1xf16>
    return %2 : tensor<1x1x4x1xf16>
  }
}

