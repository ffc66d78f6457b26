// Does with a stage what its client asked for, and tells how it went.
import type { Readable } from 'node:stream'
import type { BuildWork } from '../../build/build-work.ts'
import { BuildFailure } from '../../build/failure.ts'
import { readImageName } from '../../build/image-name.ts'
import type { BuildOptions } from '../../build/options.ts'
import type { StageState } from '../../build/stage-state.ts'
import type { BuildWorkspace } from '../../images/build-store.ts'
import { familiarName } from '../../images/reference.ts'
import { drawn } from '../context/kit-contexts.ts'
import { sendArchive, sendFolder } from '../session/outgoing-files.ts'
import type { Session } from '../session/sessions.ts'
import { Vertex } from '../status/vertex.ts'
import type { KitBuild } from './kit-build.ts'
import type { Output } from './outputs.ts'

export interface ExportParts {
  build: KitBuild
  work: BuildWork
  workspace: BuildWorkspace
  options: BuildOptions
  session(): Promise<Session>
  /** All of an image as an archive. */
  save(image: string): Promise<Readable>
}

/** What the client is told of it: by names that BuildKit gives. */
export type ExportAnswer = Map<string, string>

export async function exportResult(
  state: StageState,
  outputs: readonly Output[],
  parts: ExportParts,
): Promise<ExportAnswer> {
  const answer: ExportAnswer = new Map()
  for (const [at, output] of outputs.entries()) {
    for (const [name, value] of await exportOne(state, output, at, parts)) answer.set(name, value)
  }
  return answer
}

function exportOne(state: StageState, output: Output, at: number, parts: ExportParts): Promise<ExportAnswer> {
  const { build, work, workspace, session } = parts
  const step = <T>(name: string, todo: (vertex: Vertex) => Promise<T>) =>
    drawn(new Vertex(build.feed, name, [], () => work.now()), todo)
  switch (output.kind) {
    case 'image':
      return exportImage(state, output, parts, step)
    case 'files':
      return step('exporting to client directory', async () => {
        const all = [{ kind: 'copy' as const, path: '.', destination: '/' }]
        const folder = await workspace.copyOut({ from: { layers: state.layers }, orders: all, keepsOwner: true })
        await sendFolder(await session(), folder, at, build.signal)
        return new Map()
      })
    case 'tar':
      return step('exporting to client tarball', async () => {
        await sendArchive(await session(), await workspace.tar(state.layers), at, build.signal)
        return new Map()
      })
    case 'archive':
      return step('exporting to client archive', async () => {
        const options = { ...parts.options, names: output.names.map(readImageName) }
        const imageId = await work.keep(workspace, state, options)
        const saved = await parts.save(output.names[0] ?? imageId)
        await sendArchive(await session(), saved, at, build.signal)
        return told(imageId, options.names)
      })
  }
}

type Step = <T>(name: string, todo: (vertex: Vertex) => Promise<T>) => Promise<T>

async function exportImage(
  state: StageState,
  { names, isPushed }: Extract<Output, { kind: 'image' }>,
  { work, workspace, options, build }: ExportParts,
  step: Step,
): Promise<ExportAnswer> {
  const named = { ...options, names: names.map(readImageName) }
  const imageId = await step('exporting to image', async (vertex) => {
    await vertex.figure('exporting layers', { isDone: true })
    const id = await work.keep(workspace, state, named)
    await vertex.figure(`writing image ${id}`, { isDone: true })
    for (const name of named.names) await vertex.figure(`naming to ${name}`, { isDone: true })
    return id
  })
  if (isPushed && named.names.length === 0) throw new BuildFailure('tag is needed when pushing to registry')
  for (const name of isPushed ? named.names : []) {
    await step(`pushing ${name}`, (vertex) => push(name, work, build, vertex))
  }
  return told(imageId, named.names)
}

const told = (imageId: string, names: readonly string[]): ExportAnswer =>
  new Map([
    ['containerimage.digest', imageId],
    ['containerimage.config.digest', imageId],
    ...(names.length > 0 ? [['image.name', names.join(',')] as const] : []),
  ])

async function push(name: string, { registry }: BuildWork, build: KitBuild, vertex: Vertex): Promise<void> {
  const auth = await build.credentials(name)
  const reference = familiarName(name)
  const tag = reference.slice(reference.lastIndexOf(':') + 1)
  const repository = reference.slice(0, reference.lastIndexOf(':'))
  for await (const message of registry.push(repository, { tag, signal: build.signal, ...(auth && { auth }) })) {
    if (message.error !== undefined) throw new BuildFailure(message.error)
    const { id, status = '', progressDetail } = message
    if (id !== undefined) await vertex.figure(id, { ...progressDetail, isDone: /pushed|exists/i.test(status) })
  }
}
