module {
  func.func @main(%arg0: tensor<1x6x2x2xi16>) -> tensor<1x2x1x1xi16> {
    %0 = tosa.const_shape  {values = dense<[2, 8, 3, 16]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %1 = tosa.const_shape  {values = dense<[2, -2]> : tensor<2xindex>} : () -> !tosa.shape<2>
    %2 = tosa.const_shape  {values = dense<[0, -5]> : tensor<2xindex>} : () -> !tosa.shape<2>
    %3 = tosa.resize %arg0, %0, %1, %2 {mode = NEAREST_NEIGHBOR} : (tensor<1x6x2x2xi16>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x2x1x1xi16>
    return %3 : tensor<1x2x1x1xi16>
  }
}

