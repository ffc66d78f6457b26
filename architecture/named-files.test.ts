// The pages that describe the house name only what is there.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { projectFiles, root } from './source-files.ts'

const pages = ['ARCHITECTURE.md', 'CONTRIBUTING.md']
/** A resource that CONTRIBUTING.md has the reader make. */
const imagined = /widgets/
const files = projectFiles()

/** Paths and files in code quotes: `packages/kernel/audit`, `fair-queue.ts`, `cli/`. */
function namedPaths(page: string): string[] {
  const text = readFileSync(join(root, page), 'utf8').replaceAll(/```[\s\S]*?```/g, '')
  const quoted = Array.from(text.matchAll(/`([^`\s]+)`/g), ([, path = '']) => path)
  return quoted.filter((path) => /^[a-z0-9][\w./-]*(\/[\w./-]*|\.(ts|js|md|c))$/i.test(path) && !imagined.test(path))
}

const isThere = (path: string): boolean => {
  const part = `/${path.replace(/^\.?\//, '').replace(/\/$/, '')}`
  return files.some((file) => `/${file}`.endsWith(part) || `/${file}`.includes(`${part}/`))
}

describe('the description of the house', () => {
  for (const page of pages) {
    it(`names only files that are there: ${page}`, () => {
      expect(namedPaths(page).length).toBeGreaterThan(5)
      expect(namedPaths(page).filter((path) => !isThere(path))).toEqual([])
    })
  }
})
