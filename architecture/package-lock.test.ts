// What `./atoll up` installs: every package under its checksum, from no particular registry, and nothing only tests use.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from './source-files.ts'

interface LockedPackage {
  version?: string
  integrity?: string
  resolved?: string
  link?: boolean
  dev?: boolean
  optional?: boolean
}

const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, LockedPackage>
}
const installed = Object.entries(lock.packages).filter(([path, { link }]) => path.includes('node_modules/') && !link)
const names = (entries: [string, LockedPackage][]): string[] => entries.map(([path]) => path)

describe('package-lock.json', () => {
  it('holds the checksum of every package', () => {
    const whole = /^sha512-[A-Za-z0-9+/]{86}==$/
    expect(installed.length).toBeGreaterThan(100)
    expect(names(installed.filter(([, { integrity }]) => !whole.test(integrity ?? '')))).toEqual([])
  })

  it('has one version for the whole house', () => {
    const own = Object.entries(lock.packages).filter(([path]) => !path.includes('node_modules/'))
    expect(own.length).toBeGreaterThan(10)
    expect(new Set(own.map(([, { version }]) => version))).toEqual(new Set([lock.packages['']?.version]))
  })

  it('names no registry: packages come from the one each machine is set to', () => {
    expect(names(installed.filter(([, { resolved }]) => resolved !== undefined))).toEqual([])
    expect(readFileSync(join(root, 'package-lock.json'), 'utf8')).not.toMatch(/https?:\/\/[^"]*\.tgz/)
  })

  it('has the Node and the models of both architectures', () => {
    for (const name of ['node-linux', '@node-llama-cpp/linux', '@img/sharp-linux']) {
      for (const cpu of ['x64', 'arm64']) {
        expect(lock.packages[`node_modules/${name}-${cpu}`], `${name}-${cpu}`).toMatchObject({ optional: true })
      }
    }
  })

  it('leaves clients and tools of tests out of what `./atoll up` installs', () => {
    const testkit = JSON.parse(readFileSync(join(root, 'packages/testkit/package.json'), 'utf8'))
    const own = Object.keys(testkit.dependencies).filter((name) => !name.startsWith('@atoll/'))
    expect(own, 'dependencies of the testkit: they belong to its devDependencies').toEqual([])
    const forTests =
      /node_modules\/(openai-|vitest$|typescript$|testcontainers$|dockerode$|stripe$|langchain|@langchain\/)/
    expect(names(installed.filter(([path, { dev }]) => forTests.test(path) && !dev))).toEqual([])
  })
})
