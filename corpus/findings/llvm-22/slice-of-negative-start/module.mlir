module {
  func.func @main(%arg0: tensor<5x1x1x6x5x3xf8E5M2>) -> tensor<5x1x1x6x5x3xf8E5M2> {
    %0 = tosa.const_shape  {values = dense<[0, -8, 0, 0, 0, 0]> : tensor<6xindex>} : () -> !tosa.shape<6>
    %1 = tosa.const_shape  {values = dense<[5, 1, 1, 6, 5, 3]> : tensor<6xindex>} : () -> !tosa.shape<6>
    %2 = tosa.slice %arg0, %0, %1 : (tensor<5x1x1x6x5x3xf8E5M2>, !tosa.shape<6>, !tosa.shape<6>) -> tensor<5x1x1x6x5x3xf8E5M2>
    return %2 : tensor<5x1x1x6x5x3xf8E5M2>
  }
}

