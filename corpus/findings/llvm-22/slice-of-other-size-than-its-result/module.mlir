module {
  func.func @main(%arg0: tensor<3x6x2x4x2xf16>) -> tensor<3x6x2x4x2xf16> {
    %0 = tosa.const_shape  {values = dense<0> : tensor<5xindex>} : () -> !tosa.shape<5>
    %1 = tosa.const_shape  {values = dense<[3, 6, 1, 4, 2]> : tensor<5xindex>} : () -> !tosa.shape<5>
    %2 = tosa.slice %arg0, %0, %1 : (tensor<3x6x2x4x2xf16>, !tosa.shape<5>, !tosa.shape<5>) -> tensor<3x6x2x4x2xf16>
    return %2 : tensor<3x6x2x4x2xf16>
  }
}

