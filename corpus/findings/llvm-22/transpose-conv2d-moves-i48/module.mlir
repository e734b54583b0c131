module {
  func.func @main(%arg0: tensor<1x1x1x1xi16>, %arg1: tensor<1x1x2x1xi8>, %arg2: tensor<1xi48>) -> tensor<1x1x2x1xi48> {
    %0 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %1 = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
    %2 = tosa.transpose_conv2d %arg0, %arg1, %arg2, %1, %0 {acc_type = i48, out_pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 2>} : (tensor<1x1x1x1xi16>, tensor<1x1x2x1xi8>, tensor<1xi48>, tensor<1xi16>, tensor<1xi8>) -> tensor<1x1x2x1xi48>
    return %2 : tensor<1x1x2x1xi48>
  }
}

