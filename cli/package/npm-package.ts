// ./atoll package npm: a tarball for `npm install -g` and npx.
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { telling } from '../command-problem.ts'
import { runTool } from './run-tool.ts'
import { makeTree } from './tree.ts'

export const packageForNpm = ({ output = '.' }: { output?: string }): Promise<void> =>
  telling(async () => {
    // That stripping types is called experimental concerns nobody who makes a package.
    process.removeAllListeners('warning')
    const path = makeNpmPackage(resolve(output))
    console.log(`Wrote ${path} (${Math.round(statSync(path).size / 1e6)} MB)`)
    console.log(`Install it: npm install -g ${path}`)
  })

/** Returns its path. */
export function makeNpmPackage(output: string): string {
  mkdirSync(output, { recursive: true })
  const tree = mkdtempSync(join(tmpdir(), 'atoll-package-'))
  try {
    makeTree(tree)
    const args = ['pack', tree, '--json', '--ignore-scripts', '--pack-destination', output]
    const [packed] = JSON.parse(runTool('npm', args)) as [{ filename: string }]
    return join(output, packed.filename)
  } finally {
    rmSync(tree, { recursive: true, force: true })
  }
}
