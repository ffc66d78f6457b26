export interface ResourceLimits {
  /** Of data that the process may write to: its heaps, Python's memory, its files. Reserved addresses do not count. */
  dataBytes: number
  /** In the whole life of the process; a last resort. */
  cpuSeconds: number
  openFiles: number
  stackKilobytes: number
}
