// The other end of `host.module(…)` in isolated.ts: runs a module's functions on request.
const [url = ''] = process.argv.slice(2)
const module: Record<string, unknown> = await import(url)

process.on('message', async ({ id, name, args }: { id: number; name: string; args: unknown[] }) => {
  try {
    const work = module[name]
    if (typeof work !== 'function') throw new Error(`${url} has no function ${name}`)
    process.send?.({ id, value: await work(...args) })
  } catch (problem) {
    process.send?.({ id, problem: problem instanceof Error ? (problem.stack ?? problem.message) : String(problem) })
  }
})
process.on('disconnect', () => process.exit())
