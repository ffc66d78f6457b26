// A thing as pixels.
export interface Sprite {
  width: number
  height: number
  /** Red, green, blue, alpha of each; not multiplied. */
  pixels: Buffer
}
