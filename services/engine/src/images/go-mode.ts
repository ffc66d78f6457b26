// File modes as Go writes them (os.FileMode): clients of the archive interface read that.
const permissions = 0o777
const typeMask = 0o170000

/** A map: the formatter rewrites octal keys of an object to wrong numbers. */
const types = new Map([
  [0o040000, 2 ** 31],
  [0o120000, 2 ** 27],
  [0o060000, 2 ** 26],
  [0o010000, 2 ** 25],
  [0o140000, 2 ** 24],
  [0o020000, 2 ** 26 + 2 ** 21],
])

const bits: readonly (readonly [number, number])[] = [
  [0o4000, 2 ** 23],
  [0o2000, 2 ** 22],
  [0o1000, 2 ** 20],
]

/** From `st_mode`. */
export function goMode(mode: number): number {
  const special = bits.reduce((sum, [bit, value]) => sum + ((mode & bit) === 0 ? 0 : value), 0)
  return (mode & permissions) + special + (types.get(mode & typeMask) ?? 0)
}
