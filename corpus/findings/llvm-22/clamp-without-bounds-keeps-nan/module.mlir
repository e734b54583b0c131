module {
  func.func @main(%arg0: tensor<1x5x3x1x1xf32>) -> tensor<1x5x3x1x1xf32> {
    %0 = tosa.clamp %arg0 {max_val = 0x7F800000 : f32, min_val = 0xFF800000 : f32, nan_mode = IGNORE} : (tensor<1x5x3x1x1xf32>) -> tensor<1x5x3x1x1xf32>
    return %0 : tensor<1x5x3x1x1xf32>
  }
}

