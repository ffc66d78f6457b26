// ./atoll package deb: a Debian package with all that Atoll needs, also its Node.
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { CommandProblem, telling } from '../../command-problem.ts'
import { root } from '../../places.ts'
import { version } from '../../version.ts'
import { runTool } from '../run-tool.ts'
import { makeTree } from '../tree.ts'
import { maintainerScripts } from './scripts.ts'
import { units } from './units.ts'

/** As Debian calls them, and as npm does. */
const architectures = new Map([
  ['amd64', 'x64'],
  ['arm64', 'arm64'],
])
const compressions = ['xz', 'zstd', 'gzip', 'none']

interface DebianFlags {
  arch?: string
  output?: string
  compression?: string
}

export const packageForDebian = ({ output = '.', ...flags }: DebianFlags): Promise<void> =>
  telling(async () => {
    process.removeAllListeners('warning')
    const path = makeDebianPackage(resolve(output), flags)
    console.log(`Wrote ${path} (${Math.round(statSync(path).size / 1e6)} MB)`)
    console.log(`Install it: apt install ${path}`)
  })

const ownArch = (): string => [...architectures].find(([, cpu]) => cpu === process.arch)?.[0] ?? process.arch

interface MakeOptions extends Omit<DebianFlags, 'output'> {
  /** A folder node_modules of the same architecture to copy; else npm gets the packages. */
  modules?: string
}

/** Returns its path. */
export function makeDebianPackage(
  output: string,
  { arch = ownArch(), compression = 'xz', modules }: MakeOptions = {},
): string {
  const cpu = architectures.get(arch)
  if (cpu === undefined) throw new CommandProblem(`--arch: there are ${[...architectures.keys()].join(' and ')}.`)
  if (!compressions.includes(compression)) throw new CommandProblem(`--compression: one of ${compressions.join(', ')}.`)
  mkdirSync(output, { recursive: true })
  const folder = mkdtempSync(join(tmpdir(), 'atoll-deb-'))
  try {
    const tree = join(folder, 'usr/lib/atoll')
    makeTree(tree)
    if (modules === undefined) installPackages(tree, cpu)
    else cpSync(modules, join(tree, 'node_modules'), { recursive: true, verbatimSymlinks: true })
    // Headers, manuals and code of other machines: nothing here compiles or reads them.
    for (const path of globSync('node_modules/{node-linux-*/{include,share},.cache,.package-lock.json}', { cwd: tree }))
      rmSync(join(tree, path), { recursive: true })
    writeFiles(folder, arch)
    runTool('chmod', ['-R', 'u=rwX,go=rX', folder])
    const path = join(output, `atoll_${version()}_${arch}.deb`)
    runTool('dpkg-deb', ['--root-owner-group', `-Z${compression}`, '--build', folder, path])
    return path
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function installPackages(tree: string, cpu: string): void {
  const machine = ['--os=linux', `--cpu=${cpu}`, '--libc=glibc']
  const flags = ['--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline']
  runTool('npm', ['install', ...machine, ...flags], tree)
  if (statSync(join(tree, 'node_modules', `node-linux-${cpu}`), { throwIfNoEntry: false }) === undefined) {
    throw new CommandProblem(`npm did not get the Node of linux ${cpu} (node-linux-${cpu}).`)
  }
}

function writeFiles(folder: string, arch: string): void {
  const put = (path: string, content: string | Buffer, mode = 0o644): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content, { mode })
  }
  mkdirSync(join(folder, 'usr/bin'), { recursive: true })
  symlinkSync('../lib/atoll/atoll', join(folder, 'usr/bin/atoll'))
  for (const [name, text] of Object.entries(units)) put(`lib/systemd/system/${name}`, text)
  put('etc/atoll/config.json', `${JSON.stringify({ host: '127.0.0.1', port: 8080 }, null, 2)}\n`)
  put('usr/share/doc/atoll/copyright', copyright())
  put('usr/share/doc/atoll/changelog.gz', gzipSync(readFileSync(join(root, 'CHANGELOG.md')), { level: 9 }))
  put('DEBIAN/control', control(folder, arch))
  put('DEBIAN/conffiles', '/etc/atoll/config.json\n')
  for (const [name, text] of Object.entries(maintainerScripts)) put(`DEBIAN/${name}`, text, 0o755)
}

function control(folder: string, arch: string): string {
  const [kilobytes] = runTool('du', ['-sk', '--apparent-size', folder]).split('\t')
  return `Package: atoll
Version: ${version()}
Architecture: ${arch}
Maintainer: Atoll <atoll@localhost>
Installed-Size: ${kilobytes}
Depends: adduser, init-system-helpers, libc6 (>= 2.28), libstdc++6
Suggests: crun, ffmpeg, gcc, iproute2, nftables, postgresql, redis-server
Section: net
Priority: optional
Description: model cloud on your own machine
 Programs written for the hosted model API run against Atoll unchanged,
 offline, on hardware you own. It also has a container engine, a webhook
 gateway that runs agents, and a manager of Redis databases.
`
}

const copyright = (): string => `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: atoll

Files: *
Copyright: the authors of Atoll
License: Apache-2.0

License: Apache-2.0
 On Debian systems, the text of the Apache License, version 2.0, is in
 /usr/share/common-licenses/Apache-2.0. The packages in
 /usr/lib/atoll/node_modules have licences of their own, which lie there.
`
