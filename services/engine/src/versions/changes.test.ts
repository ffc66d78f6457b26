// Walks every change between versions over HTTP: the version before it, and the version that has it.
import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { changes } from './changes.ts'
import { Boundary } from './testing/boundary.ts'
import { startEcho } from './testing/echo-service.ts'
import { proofs } from './testing/proofs.ts'

const engineSources = fileURLToPath(new URL('..', import.meta.url))

let echo: Awaited<ReturnType<typeof startEcho>>
beforeAll(async () => {
  echo = await startEcho()
})
afterAll(() => echo.stop())

describe('changes between versions', () => {
  it('are written down in order, each with its own words, and each is looked at below', () => {
    const summaries = changes.map(({ summary }) => summary)
    expect(new Set(summaries).size).toBe(summaries.length)
    expect(Object.keys(proofs).sort()).toEqual([...summaries].sort())
    const minors = changes.map(({ since }) => Number(since.slice(2)))
    expect(minors).toEqual([...minors].sort((one, other) => one - other))
    const needWays = changes.filter(({ item, way }) => item !== undefined && way === undefined)
    expect(needWays).toEqual([])
  })

  it('hold nothing back that the document gives to all versions', async () => {
    const list = await readFile(new URL('../../../../requirements/engine.tsv', import.meta.url), 'utf8')
    const rows = list.split('\n').map((line) => line.split('\t'))
    const unversioned = rows.filter(([, , text]) => text?.includes('(unversioned')).map(([id]) => id)
    expect(unversioned.length).toBeGreaterThan(20)
    const heldBack = changes.flatMap(({ requirements }) => requirements).filter((id) => unversioned.includes(id))
    expect(heldBack).toEqual([])
  })

  it('name every way that handlers look for, and no other', async () => {
    const isCode = (path: string) => !/test|^versions\//.test(path)
    const paths = globSync('**/*.ts', { cwd: engineSources }).filter(isCode)
    const texts = await Promise.all(paths.map((path) => readFile(join(engineSources, path), 'utf8')))
    const asked = texts.flatMap((text) => [...text.matchAll(/\bways\.has\('([^']+)'\)/g)].map(([, way]) => way))
    expect(asked.length).toBeGreaterThan(0)
    const known = new Set(changes.map(({ way }) => way))
    expect(asked.filter((way) => !known.has(way))).toEqual([])
    // One that nobody looks for changes nothing. Those of streams are looked for by their items.
    const unread = changes.filter(
      ({ way, item }) => way !== undefined && item === undefined && !texts.some((text) => text.includes(`'${way}'`)),
    )
    expect(unread.map(({ way }) => way)).toEqual([])
  })

  for (const { since, summary } of changes) {
    const proof = proofs[summary]
    it(`${[...(proof?.ids ?? []), since].join(' ')} ${summary}`, async () => {
      if (proof === undefined) throw new Error(`Nothing shows: ${summary}`)
      await proof.show(new Boundary(echo.url, since))
    })
  }
})
