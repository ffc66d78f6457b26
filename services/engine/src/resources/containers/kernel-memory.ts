// A limit of the kernel's own memory: taken from callers before 1.42 only, kept to be read back.
const leastBytes = 4 * 1024 * 1024

export interface KernelMemory {
  value: number | undefined
  problems: string[]
}

/** ENG-120: today it is passed over. ENG-185: from 1.22 to 1.41 it has a minimum. */
export function kernelMemoryOf(asked: number | undefined, ways: ReadonlySet<string>): KernelMemory {
  if (!asked || !ways.has('kernel-memory')) return { value: undefined, problems: [] }
  const isTooSmall = asked < leastBytes && !ways.has('any-kernel-memory')
  return { value: asked, problems: isTooSmall ? ['Minimum kernel memory limit allowed is 4MB'] : [] }
}
