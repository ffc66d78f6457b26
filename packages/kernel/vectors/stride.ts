// How far apart a sample's vectors lie. Apart from the sample: who asks for vectors needs the engine's code nowhere else.
export const maxVectors = 256

/** What lies that far apart, in chunk numbers, gives at most a full sample. */
export function strideFor(last: number): number {
  let stride = 1
  while (last / stride >= maxVectors) stride *= 2
  return stride
}
