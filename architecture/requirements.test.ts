// A requirement of the engine counts where a whole engine answers: on a machine of its own, or as `atoll up` starts it.
import { describe, expect, it } from 'vitest'
import { parseSource, type SourceFile, sourceFiles } from './source-files.ts'

/** What cannot be so on the machine of a test, and why. It is shown on the part that would answer. */
const elsewhere: Record<string, readonly string[]> = {
  'needs a swarm': ['ENG-029', 'ENG-031', 'ENG-032'],
  'needs an engine without root, with user namespaces, or that forbids new privileges to all': [
    ...['ENG-058', 'ENG-060', 'ENG-061', 'ENG-062'],
  ],
  'needs something built: this engine does not build': ['ENG-690', 'ENG-691'],
  'needs another kernel: one that does not tell its version, before 5.12, or without a limit of kernel memory': [
    ...['ENG-050', 'ENG-068', 'ENG-069', 'ENG-728'],
  ],
  'cannot be seen from outside: who waited for the same look at the disk': ['ENG-688'],
}

const isOfEngine = ({ path }: SourceFile): boolean =>
  /^(services|cli)\/engine\/.*(\.test|\/testing\/[a-z-]+-proofs)\.ts$/.test(path)
const isWhole = ({ text }: SourceFile): boolean => /\bstart(WholeEngine|EngineServer|Nodes)\(/.test(text)
const idsOf = (files: readonly SourceFile[]): Set<string> =>
  new Set(files.flatMap(({ text }) => text.match(/\bENG-\d{3}\b/g) ?? []))

/** Ids that stand in tests of parts, and are not said above to be so. */
function strays(files: readonly SourceFile[]): string[] {
  const named = Object.values(elsewhere).flat()
  const partial = files.filter((file) => isOfEngine(file) && !isWhole(file))
  return [...idsOf(partial)].filter((id) => !named.includes(id))
}

describe('requirements of the engine', () => {
  const files = sourceFiles()

  it('stand in tests of a whole engine, but for a few that are named', () => {
    expect(strays(files)).toEqual([])
    expect(idsOf(files.filter((file) => isOfEngine(file) && isWhole(file))).size).toBeGreaterThan(500)
  })

  it('are not named as shown elsewhere when they are not, or when a whole engine shows them', () => {
    const ofEngine = files.filter(isOfEngine)
    const [whole, partial] = [idsOf(ofEngine.filter(isWhole)), idsOf(ofEngine.filter((file) => !isWhole(file)))]
    const wrong = Object.values(elsewhere)
      .flat()
      .filter((id) => whole.has(id) || !partial.has(id))
    expect(wrong).toEqual([])
  })

  it('are noticed in a test of a part', () => {
    const test = "it('ENG-001 is served', () => startStandIn())\n"
    expect(strays([parseSource('services/engine/src/x.test.ts', test)])).toEqual(['ENG-001'])
    expect(strays([parseSource('services/engine/src/x.test.ts', test.replace('StandIn', 'WholeEngine'))])).toEqual([])
  })
})
