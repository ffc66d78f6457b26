// The model's 512 numbers as an embedding of any width.

/**
 * Repeats the numbers to `width`, keeps the first `kept`, and brings them to length 1. A width that is a multiple of 512
 * changes no cosine; of a shorter embedding the first numbers tell the most, as the model was trained.
 */
export function widen(numbers: Float32Array, kept: number): Float32Array {
  const wide = new Float32Array(kept)
  let squares = 0
  for (let at = 0; at < kept; at++) {
    const value = numbers[at % numbers.length] ?? 0
    wide[at] = value
    squares += value * value
  }
  const factor = squares > 0 ? 1 / Math.sqrt(squares) : 0
  for (let at = 0; at < kept; at++) wide[at] = (wide[at] ?? 0) * factor
  return wide
}
