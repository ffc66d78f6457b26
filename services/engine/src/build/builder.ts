// Builds what a Dockerfile describes: stages that do not need one another run side by side, steps whose result is known
// are not run at all.

import { availableParallelism } from 'node:os'
import type { BuiltLayer, CopyFrom, CopyRequest, LayerMade } from '../images/build-store.ts'
import { Slots } from '../images/registry/slots.ts'
import type { CacheImages } from './cache-images.ts'
import { cacheKey } from './cache-key.ts'
import type { CacheMounts } from './cache-mounts.ts'
import { applyArgs, applyConfig, workingFolder } from './config-steps.ts'
import { ownerOf, planCopy } from './copy-step.ts'
import type { Copy, Dockerfile, Instruction, Run } from './dockerfile/dockerfile.ts'
import { expandWord } from './dockerfile/expand.ts'
import { DockerfileProblem, Wrong } from './dockerfile/problem.ts'
import { readInstruction } from './dockerfile/read-dockerfile.ts'
import { BuildFailure, CommandFailure } from './failure.ts'
import { epochOf } from './final-image.ts'
import { refuseForeignRun } from './foreign-platform.ts'
import { openMounts } from './open-mounts.ts'
import type { PlannedStage } from './plan.ts'
import { planRun } from './run-step.ts'
import { type SourceParts, StageSources } from './stage-sources.ts'
import type { StageState } from './stage-state.ts'
import { describe, type Step, StepCache } from './step-cache.ts'
import type { StepOffers } from './step-offers.ts'
import type { StepRunner } from './step-runner.ts'
import type { StepSecrets } from './step-secrets.ts'

export interface BuilderParts extends SourceParts {
  dockerfile: Dockerfile
  runner: StepRunner
  cacheImages: CacheImages
  cacheMounts: CacheMounts
  secrets: StepSecrets
  /** What the caller offers to steps; absent: nothing. */
  offers?: StepOffers
  signal: AbortSignal
}

export class Builder {
  readonly #parts: BuilderParts
  readonly #sources: StageSources
  readonly #cache: StepCache
  readonly #stages = new Map<number, Promise<StageState>>()
  readonly #slots = new Slots(Math.max(2, availableParallelism()))
  readonly #usedArgs = new Set<string>()
  readonly #numbers: ReadonlyMap<PlannedStage, number>
  readonly #total: number

  constructor(parts: BuilderParts) {
    this.#parts = parts
    this.#cache = new StepCache(parts.workspace, parts.cacheImages, parts.options)
    this.#sources = new StageSources(parts, (index) => this.#stage(index))
    const numbers = new Map<PlannedStage, number>()
    let total = 0
    for (const index of parts.plan.needed) {
      const planned = parts.plan.stages[index]
      if (planned === undefined) continue
      numbers.set(planned, total)
      total += 1 + planned.stage.instructions.length
    }
    this.#numbers = numbers
    this.#total = total
  }

  /** Returns the stage that was asked for. */
  async build(): Promise<StageState> {
    const { plan } = this.#parts
    const built = await Promise.all(plan.needed.map((index) => this.#stage(index)))
    const state = built.at(plan.needed.indexOf(plan.target))
    if (state === undefined) throw new Error('the target was not built')
    return state
  }

  /** Arguments that were given and that no step has asked for. */
  get unusedArgs(): string[] {
    const { plan, options } = this.#parts
    const declared = new Set([...this.#usedArgs, ...plan.globalArgs.keys()])
    return Object.keys(options.buildArgs).filter((name) => !declared.has(name) && !isKnownArg(name))
  }

  /** Nothing of it runs any more. */
  async settled(): Promise<void> {
    for (let count = -1; count !== this.#stages.size; ) {
      count = this.#stages.size
      await Promise.allSettled(this.#stages.values())
    }
  }

  #stage(index: number): Promise<StageState> {
    const known = this.#stages.get(index)
    if (known !== undefined) return known
    const planned = this.#parts.plan.stages[index]
    if (planned === undefined) throw new Error(`there is no stage ${index}`)
    const building = this.#buildStage(planned)
    const { progress } = this.#parts
    // Whoever waits for it hears of a failure; if nobody does yet, it must not end the engine.
    building.then(
      () => progress.finish(index),
      (error: unknown) => progress.finish(index, error),
    )
    this.#stages.set(index, building)
    return building
  }

  async #buildStage(planned: PlannedStage): Promise<StageState> {
    const { stage, index } = planned
    const { progress } = this.#parts
    let number = this.#numbers.get(planned) ?? 0
    const announce = (text: string, instruction?: Instruction) => {
      number += 1
      return progress.tell(index, { kind: 'step', number, total: this.#total, text, instruction })
    }
    const { state, id } = await this.#sources.begin(planned, () => announce(stage.text))
    await progress.tell(index, { kind: 'stepped', id })
    const triggers = (state.config.OnBuild ?? []).map((text) => readInstruction(text))
    delete state.config.OnBuild
    refuseForeignRun(state.platform, [...triggers, ...stage.instructions])
    if (triggers.length > 0) await progress.tell(index, { kind: 'triggers', count: triggers.length })
    for (const instruction of triggers) {
      await progress.tell(index, { kind: 'trigger', instruction })
      await this.#step(planned, state, instruction)
    }
    for (const instruction of stage.instructions) {
      await announce(instruction.text, instruction)
      await this.#step(planned, state, instruction)
    }
    return state
  }

  async #step(planned: PlannedStage, state: StageState, instruction: Instruction): Promise<void> {
    const { signal, progress } = this.#parts
    signal.throwIfAborted()
    try {
      await this.#perform(planned, state, instruction)
    } catch (error) {
      if (error instanceof Wrong) throw new DockerfileProblem(instruction.place, error.message)
      throw error
    }
    await progress.tell(planned.index, { kind: 'stepped', id: state.shortId })
  }

  async #perform(planned: PlannedStage, state: StageState, instruction: Instruction): Promise<void> {
    const form = { escapedBy: this.#parts.dockerfile.directives.escapedBy }
    const before = state.id
    switch (instruction.kind) {
      case 'ARG': {
        for (const { key } of instruction.args) this.#usedArgs.add(key)
        const given = (name: string) => this.#parts.options.buildArgs[name] ?? undefined
        const { globalArgs } = this.#parts.plan
        const words = applyArgs(
          state,
          instruction,
          form,
          (name) => given(name) ?? this.#inherited(instruction, name, globalArgs),
        )
        return this.#note(planned, state, before, nop(words))
      }
      case 'WORKDIR':
        return this.#workdir(planned, state, expandWord(instruction.value, state.values, form))
      case 'COPY':
      case 'ADD':
        return this.#copy(planned, state, instruction)
      case 'RUN':
        return this.#run(planned, state, instruction)
      default:
        return this.#note(planned, state, before, nop(applyConfig(state, instruction, form)))
    }
  }

  /** `ARG name` without a value takes the value from before the first FROM. */
  #inherited(
    { args }: Extract<Instruction, { kind: 'ARG' }>,
    name: string,
    global: ReadonlyMap<string, string | undefined>,
  ): string | undefined {
    return args.some(({ key, value }) => key === name && value === undefined) ? global.get(name) : undefined
  }

  async #workdir(planned: PlannedStage, state: StageState, path: string): Promise<void> {
    if (path === '') throw new Wrong('cannot normalize nothing')
    const folder = workingFolder(state.workingDir, path)
    state.config.WorkingDir = folder
    const createdBy = nop(`WORKDIR ${folder}`)
    const there = { key: cacheKey('folder-is-there', { on: state.chainId, folder }), createdBy }
    if (await this.#isKnownToChangeNothing(planned, state, there)) return state.note(createdBy, true)
    const owner = await this.#workdirOwner(state)
    const key = cacheKey('workdir', { on: state.chainId, folder, owner })
    const request = { from: { layers: [] }, orders: [{ kind: 'folder' as const, destination: folder }], owner }
    const layer = await this.#layer(planned, state, { key, createdBy }, (made) =>
      this.#parts.workspace.copy(state.layers, [request], made),
    )
    if (layer === undefined) this.#cache.rememberEmpty(state, there)
    state.note(createdBy, layer === undefined)
  }

  /** BuildKit gives what it makes to the user of the image, where the image knows that user. */
  async #workdirOwner(state: StageState): Promise<CopyRequest['owner']> {
    const { workspace, options } = this.#parts
    const { User } = state.config
    if (!User || options.isBuildKit !== true) return undefined
    return ownerOf(User, { workspace, state }).catch(() => undefined)
  }

  /** A step that changes no file. Knowing it saves nothing, but people read from it that nothing has changed. */
  async #note(planned: PlannedStage, state: StageState, before: string, createdBy: string): Promise<void> {
    const step = { key: cacheKey('config', [before, createdBy]), createdBy }
    await this.#isKnownToChangeNothing(planned, state, step)
    this.#cache.rememberEmpty(state, step)
    state.note(createdBy, true)
  }

  async #isKnownToChangeNothing(planned: PlannedStage, state: StageState, step: Step): Promise<boolean> {
    const isKnown = this.#cache.hasEmpty(planned, state, step)
    if (isKnown) await this.#parts.progress.tell(planned.index, { kind: 'cached' })
    return isKnown
  }

  async #copy(planned: PlannedStage, state: StageState, copy: Copy): Promise<void> {
    const { workspace, signal, dockerfile, options } = this.#parts
    const from = await this.#files(planned, copy, copy.from)
    const form = { escapedBy: dockerfile.directives.escapedBy }
    const source = { from, isContext: copy.from === '', isBuildKit: options.isBuildKit === true }
    const plan = await planCopy(copy, { workspace, state, ...source, form, signal })
    const digests = await Promise.all(plan.requests.map((request) => workspace.digest(request))).catch(
      (error: unknown) => {
        throw notInSource(error, copy)
      },
    )
    const inputs = plan.requests.map(({ from: _, ...request }, at) => ({ ...request, digest: digests[at] }))
    const key = cacheKey('copy', { on: state.chainId, inputs })
    const digest = cacheKey('files', digests).slice('sha256:'.length)
    const createdBy = nop(`${copy.kind} ${inputs.length > 1 ? 'multi' : 'file'}:${digest} in ${plan.words} `)
    const layer = await this.#layer(planned, state, { key, createdBy }, (made) =>
      workspace.copy(state.layers, plan.requests, made),
    )
    state.note(createdBy, layer === undefined)
  }

  #files(planned: PlannedStage, instruction: Instruction, name: string): Promise<CopyFrom> {
    const isOwn = planned.stage.instructions.includes(instruction)
    return this.#sources.filesOf(planned, name, isOwn ? 'dockerfile' : 'trigger')
  }

  async #run(planned: PlannedStage, state: StageState, run: Run): Promise<void> {
    const { workspace, dockerfile, options, cacheMounts, secrets, offers } = this.#parts
    const form = { escapedBy: dockerfile.directives.escapedBy }
    const source = (name: string) => this.#files(planned, run, name)
    const plan = await planRun(run, { workspace, state, form, options, source, cacheMounts, secrets, offers })
    const step = { key: plan.key, createdBy: plan.createdBy }
    await this.#layer(planned, state, step, (made) => this.#runIn(planned, state, plan, made))
    state.note(plan.createdBy, false)
  }

  async #runIn(
    { index }: PlannedStage,
    state: StageState,
    plan: Awaited<ReturnType<typeof planRun>>,
    made: LayerMade,
  ): Promise<BuiltLayer> {
    const { workspace, runner, progress, signal } = this.#parts
    const { Env, User } = state.config
    const inner = { ...(Env && { Env }), ...(User && { User }), WorkingDir: state.workingDir }
    const image = workspace.stepImage(state.layers, {
      ...state.platform,
      config: inner,
      rootfs: { type: 'layers', diff_ids: state.layers.map(({ diffId }) => diffId) },
    })
    using _slot = await this.#slots.take(signal)
    await using open = await openMounts(plan.mounts, signal)
    let layer: BuiltLayer | undefined
    const hostConfig = { ...plan.hostConfig, Mounts: [...open.mounts, ...(plan.hostConfig.Mounts ?? [])] }
    const mountedOn = plan.mounts.flatMap(({ target }) => (target === '' ? [] : [target]))
    const code = await runner.run(
      {
        ...{ image, argv: open.command(plan.argv), env: [...plan.env, ...open.env], hostConfig },
        ...{ user: User ?? '', workingDir: state.workingDir },
      },
      {
        started: (containerId) => progress.tell(index, { kind: 'running', containerId }),
        output: (stream, text) => progress.tell(index, { kind: 'output', stream, text }),
        ended: async (id) => {
          layer = await workspace.commit(state.layers, id, mountedOn, made)
        },
        removed: (containerId) => progress.tell(index, { kind: 'removed', containerId }),
      },
      signal,
    )
    if (code !== 0 || layer === undefined) throw new CommandFailure(plan.argv, code)
    return layer
  }

  /** The layer of a step, if it is known; otherwise it is made. Undefined: the step changes no file. */
  async #layer(
    planned: PlannedStage,
    state: StageState,
    step: Step,
    make: (made: LayerMade) => Promise<BuiltLayer | undefined>,
  ): Promise<BuiltLayer | undefined> {
    const { options, progress } = this.#parts
    const known = await this.#cache.layer(planned, state, step)
    if (known !== undefined) {
      await progress.tell(planned.index, { kind: 'cached' })
      state.add(known, step.key)
      return known
    }
    const made = { key: step.key, parentKey: state.lastKey, description: describe(step.createdBy) }
    const layer = await make({ ...made, epoch: epochOf(options) })
    if (layer !== undefined) state.add(layer, step.key)
    return layer
  }
}

const isKnownArg = (name: string): boolean =>
  /^(HTTP|HTTPS|FTP|NO|ALL)_PROXY$/i.test(name) || name === 'SOURCE_DATE_EPOCH' || name.startsWith('BUILDKIT_')

const nop = (words: string): string => `/bin/sh -c #(nop) ${words}`

function notInSource(error: unknown, copy: Copy): unknown {
  if (!(error instanceof Error)) return error
  const [, path] = /^stat (.*): no such file or directory$/.exec(error.message) ?? []
  if (path === undefined) return error
  const where = copy.from === '' ? 'build context or excluded by .dockerignore' : `${copy.from}`
  return new BuildFailure(`${copy.kind} failed: file not found in ${where}: stat ${path}: file does not exist`)
}
