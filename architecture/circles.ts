// Files that need one another in a circle cannot be read, tested or moved one by one. Types count as well.
interface Importing {
  path: string
  imports: readonly { target: string }[]
}

/** The groups of files that can reach one another (Tarjan's algorithm). */
export function importCircles(files: readonly Importing[]): string[][] {
  const edges = new Map(files.map(({ path, imports }) => [path, imports.map(({ target }) => target)]))
  const found = new Map<string, { index: number; low: number; open: boolean }>()
  const stack: string[] = []
  const circles: string[][] = []
  const visit = (path: string): { index: number; low: number; open: boolean } => {
    const mark = { index: found.size, low: found.size, open: true }
    found.set(path, mark)
    stack.push(path)
    for (const target of edges.get(path) ?? []) {
      if (!edges.has(target)) continue
      const known = found.get(target)
      if (known === undefined) mark.low = Math.min(mark.low, visit(target).low)
      else if (known.open) mark.low = Math.min(mark.low, known.index)
    }
    if (mark.low === mark.index) close(path)
    return mark
  }
  const close = (path: string): void => {
    const group = stack.splice(stack.indexOf(path))
    for (const member of group) Object.assign(found.get(member) ?? {}, { open: false })
    if (group.length > 1 || edges.get(path)?.includes(path)) circles.push(group)
  }
  for (const { path } of files) if (!found.has(path)) visit(path)
  return circles
}
