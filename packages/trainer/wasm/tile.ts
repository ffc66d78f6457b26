/** The piece of C that is held in registers, and how the machine adds products. */
export interface Tile {
  rows: number
  /** Of four columns each. */
  vectors: number
  /** Product and sum in one instruction, with one rounding. Runtimes without it refuse the module. */
  fused: boolean
  /** A's numbers are written four times while packing, instead of spread when they are read. */
  spread: boolean
}
