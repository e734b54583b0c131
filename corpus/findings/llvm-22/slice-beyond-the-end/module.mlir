module {
  func.func @main(%arg0: tensor<1x5x5x6x1x1xbf16>) -> tensor<1x5x5x6x1x1xbf16> {
    %0 = tosa.const_shape  {values = dense<[0, 0, 0, 2, 0, 0]> : tensor<6xindex>} : () -> !tosa.shape<6>
    %1 = tosa.const_shape  {values = dense<[1, 5, 5, 6, 1, 1]> : tensor<6xindex>} : () -> !tosa.shape<6>
    %2 = tosa.slice %arg0, %0, %1 : (tensor<1x5x5x6x1x1xbf16>, !tosa.shape<6>, !tosa.shape<6>) -> tensor<1x5x5x6x1x1xbf16>
    return %2 : tensor<1x5x5x6x1x1xbf16>
  }
}

