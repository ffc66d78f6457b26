// Builds what a Dockerfile describes: stages that do not need one another run side by side, steps whose result is known
// are not run at all.

import { availableParallelism } from 'node:os'
import { isDeepStrictEqual } from 'node:util'
import type { BuildWorkspace, BuiltLayer, CopyFrom, LayerMade } from '../images/build-store.ts'
import type { ImageConfig, Platform } from '../images/images.ts'
import { hostPlatform } from '../images/platform.ts'
import { Slots } from '../images/registry/slots.ts'
import type { CacheImages } from './cache-images.ts'
import { cacheKey } from './cache-key.ts'
import { applyArgs, applyConfig, workingFolder } from './config-steps.ts'
import { planCopy } from './copy-step.ts'
import type { Copy, Dockerfile, Instruction, Run } from './dockerfile/dockerfile.ts'
import { expandWord } from './dockerfile/expand.ts'
import { DockerfileProblem, Wrong } from './dockerfile/problem.ts'
import { readInstruction } from './dockerfile/read-dockerfile.ts'
import { BuildFailure } from './failure.ts'
import type { Messages } from './messages.ts'
import type { BuildOptions } from './options.ts'
import { type BuildPlan, type PlannedStage, stageNamed } from './plan.ts'
import { planRun } from './run-step.ts'
import { StageState } from './stage-state.ts'
import type { StepRunner } from './step-runner.ts'

export interface BuilderParts {
  workspace: BuildWorkspace
  dockerfile: Dockerfile
  plan: BuildPlan
  options: BuildOptions
  /** The unpacked context. */
  context: string
  runner: StepRunner
  messages: Messages
  /** Fetches an image that is not here, or asks whether there is a newer one. */
  pull(reference: string, platform: Platform | undefined, say: (message: object) => Promise<void>): Promise<void>
  cacheImages: CacheImages
  cacheFolder: string
  now(): number
  signal: AbortSignal
}

export class Builder {
  readonly #parts: BuilderParts
  readonly #stages = new Map<number, Promise<StageState>>()
  readonly #slots = new Slots(Math.max(2, availableParallelism()))
  readonly #usedArgs = new Set<string>()
  readonly #numbers: ReadonlyMap<PlannedStage, number>
  readonly #total: number

  constructor(parts: BuilderParts) {
    this.#parts = parts
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

  /** Returns the id of the image. */
  async build(): Promise<{ imageId: string; unusedArgs: string[] }> {
    const { plan, workspace, options } = this.#parts
    const all = plan.needed.map((index) => this.#stage(index))
    const built = await Promise.all(all)
    const state = built.at(plan.needed.indexOf(plan.target))
    if (state === undefined) throw new Error('the target was not built')
    this.#addLabels(state)
    const config = this.#imageOf(state)
    const same = options.isCacheOff ? undefined : await this.#sameImage(config)
    const imageId = same ?? (await workspace.image(this.#dated(config), state.layers))
    await workspace.name(imageId, options.names)
    const declared = new Set([...this.#usedArgs, ...plan.globalArgs.keys()])
    const unusedArgs = Object.keys(options.buildArgs).filter((name) => !declared.has(name) && !isKnownArg(name))
    return { imageId, unusedArgs }
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
    const building = this.#buildStage(planned).finally(() => this.#parts.messages.finish(index))
    // Whoever waits for it hears of a failure; if nobody does yet, it must not end the engine.
    building.catch(() => {})
    this.#stages.set(index, building)
    return building
  }

  async #buildStage(planned: PlannedStage): Promise<StageState> {
    const { stage, index } = planned
    const say = (stream: string) => this.#parts.messages.say(index, { stream })
    let number = this.#numbers.get(planned) ?? 0
    const announce = async (text: string) => {
      number += 1
      await say(`Step ${number}/${this.#total} : ${text}`)
      await say('\n')
    }
    const state = await this.#begin(planned, () => announce(stage.text))
    const triggers = (state.config.OnBuild ?? []).map((text) => readInstruction(text))
    delete state.config.OnBuild
    if (triggers.length > 0)
      await say(`# Executing ${triggers.length} build trigger${triggers.length > 1 ? 's' : ''}\n`)
    for (const trigger of triggers) await this.#step(planned, state, trigger)
    for (const instruction of stage.instructions) {
      await announce(instruction.text)
      await this.#step(planned, state, instruction)
    }
    return state
  }

  /** What the stage stands on. */
  async #begin({ base, index, platform, stage }: PlannedStage, announce: () => Promise<void>): Promise<StageState> {
    const { workspace, options, messages, pull } = this.#parts
    if (base === 'scratch') {
      await announce()
      await messages.say(index, { stream: ' ---> \n' })
      return new StageState({ layers: [], image: undefined, platform: platform ?? hostPlatform })
    }
    if ('stage' in base) {
      const before = await this.#stage(base.stage)
      await announce()
      await messages.say(index, { stream: ` ---> ${shortOf(before)}\n` })
      return before.successor()
    }
    await announce()
    const say = (message: object) => messages.say(index, message)
    if (options.pulls || (await workspace.base(base.image, platform)) === undefined) {
      await pull(base.image, platform, say)
    }
    const found = await workspace.base(base.image, platform)
    if (found === undefined) throw new DockerfileProblem(stage.place, `No such image: ${base.image}`)
    const { os, architecture, variant } = found.config
    await messages.say(index, { stream: ` ---> ${found.imageId.slice(7, 19)}\n` })
    return new StageState({
      layers: found.layers,
      image: found.config,
      platform: { os, architecture, ...(variant !== undefined && { variant }) },
    })
  }

  async #step(planned: PlannedStage, state: StageState, instruction: Instruction): Promise<void> {
    const { signal, messages } = this.#parts
    signal.throwIfAborted()
    try {
      await this.#perform(planned, state, instruction)
    } catch (error) {
      if (error instanceof Wrong) throw new DockerfileProblem(instruction.place, error.message)
      throw error
    }
    await messages.say(planned.index, { stream: ` ---> ${shortOf(state)}\n` })
  }

  async #perform(planned: PlannedStage, state: StageState, instruction: Instruction): Promise<void> {
    const form = { escapedBy: this.#parts.dockerfile.directives.escapedBy }
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
        return state.note(nop(words), true)
      }
      case 'WORKDIR':
        return this.#workdir(planned, state, expandWord(instruction.value, state.values, form))
      case 'COPY':
      case 'ADD':
        return this.#copy(planned, state, instruction)
      case 'RUN':
        return this.#run(planned, state, instruction)
      default:
        return state.note(nop(applyConfig(state, instruction, form)), true)
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
    const key = cacheKey('workdir', { on: state.chainId, folder })
    const request = { from: { layers: [] }, orders: [{ kind: 'folder' as const, destination: folder }] }
    const layer = await this.#layer(planned, state, { key, createdBy }, (made) =>
      this.#parts.workspace.copy(state.layers, [request], made),
    )
    state.note(createdBy, layer === undefined)
  }

  async #copy(planned: PlannedStage, state: StageState, copy: Copy): Promise<void> {
    const { workspace, signal, dockerfile } = this.#parts
    const from = await this.#source(planned, copy.from)
    const form = { escapedBy: dockerfile.directives.escapedBy }
    const plan = await planCopy(copy, { workspace, state, from, isContext: copy.from === '', form, signal })
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

  /** The context, an earlier stage, or an image. */
  async #source({ index, platform }: PlannedStage, name: string): Promise<CopyFrom> {
    const { context, plan, workspace, pull, messages } = this.#parts
    if (name === '') return { folder: context }
    const stage = stageNamed(plan.stages, index, name)
    if (stage !== undefined) return { layers: (await this.#stage(stage)).layers }
    if (/^\d+$/.test(name))
      throw new BuildFailure(`invalid from flag value ${name}: there is no stage with that number before`)
    if ((await workspace.base(name, platform)) === undefined) {
      await pull(name, platform, (message) => messages.say(index, message))
    }
    const found = await workspace.base(name, platform)
    if (found === undefined) throw new BuildFailure(`invalid from flag value ${name}: No such image: ${name}`)
    return { layers: found.layers }
  }

  async #run(planned: PlannedStage, state: StageState, run: Run): Promise<void> {
    const { workspace, dockerfile, options, cacheFolder } = this.#parts
    const form = { escapedBy: dockerfile.directives.escapedBy }
    const source = (name: string) => this.#source(planned, name)
    const plan = await planRun(run, { workspace, state, form, options, source, cacheFolder })
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
    const { workspace, runner, messages, signal } = this.#parts
    const say = (stream: string) => messages.say(index, { stream })
    const { Env, User } = state.config
    const inner = { ...(Env && { Env }), ...(User && { User }), WorkingDir: state.workingDir }
    const image = workspace.stepImage(state.layers, {
      ...state.platform,
      config: inner,
      rootfs: { type: 'layers', diff_ids: state.layers.map(({ diffId }) => diffId) },
    })
    using _slot = await this.#slots.take(signal)
    let layer: BuiltLayer | undefined
    const command = { image, argv: plan.argv, env: plan.env, user: User ?? '', workingDir: state.workingDir }
    const code = await runner.run(
      { ...command, hostConfig: plan.hostConfig },
      {
        started: (id) => say(` ---> Running in ${id.slice(0, 12)}\n`),
        output: (stream, text) => say(stream === 'stdout' ? text : `\u001b[91m${text}\u001b[0m`),
        ended: async (id) => {
          layer = await workspace.commit(state.layers, id, plan.mountedOn, made)
        },
        removed: (id) => say(` ---> Removed intermediate container ${id.slice(0, 12)}\n`),
      },
      signal,
    )
    if (code !== 0 || layer === undefined) {
      throw new BuildFailure(`The command '${plan.argv.join(' ')}' returned a non-zero code: ${code}`, code)
    }
    return layer
  }

  /** The layer of a step, if it is known; otherwise it is made. Undefined: the step changes no file. */
  async #layer(
    { index }: PlannedStage,
    state: StageState,
    step: { key: string; createdBy: string },
    make: (made: LayerMade) => Promise<BuiltLayer | undefined>,
  ): Promise<BuiltLayer | undefined> {
    const { workspace, options, messages, cacheImages } = this.#parts
    const known = options.isCacheOff
      ? undefined
      : ((await workspace.cached(step.key)) ?? (await cacheImages.find(state, step.createdBy)))
    if (known !== undefined) {
      await messages.say(index, { stream: ' ---> Using cache\n' })
      state.add(known, step.key)
      return known
    }
    const made = { key: step.key, parentKey: state.lastKey, description: step.createdBy.slice(0, 1_000) }
    const layer = await make({ ...made, epoch: this.#epoch() })
    if (layer !== undefined) state.add(layer, step.key)
    return layer
  }

  /** `--build-arg SOURCE_DATE_EPOCH`: the same build gives the same bytes. */
  #epoch(): number | undefined {
    const given = this.#parts.options.buildArgs.SOURCE_DATE_EPOCH
    if (given === undefined || given === null || given === '') return undefined
    if (!/^\d{1,12}$/.test(given)) throw new BuildFailure(`SOURCE_DATE_EPOCH must be a number of seconds, not ${given}`)
    return Number(given)
  }

  #addLabels(state: StageState): void {
    const labels = Object.entries(this.#parts.options.labels)
    if (labels.length === 0) return
    state.config.Labels = { ...state.config.Labels, ...this.#parts.options.labels }
    state.note(nop(`LABEL ${labels.map(([key, value]) => `${key}=${value}`).join(' ')}`), true)
  }

  #imageOf(state: StageState): ImageConfig {
    return {
      ...state.platform,
      ...(state.author && { author: state.author }),
      config: state.config,
      rootfs: { type: 'layers', diff_ids: state.layers.map(({ diffId }) => diffId) },
      history: state.history,
    }
  }

  #dated(config: ImageConfig): ImageConfig {
    const epoch = this.#epoch()
    const created = new Date(epoch === undefined ? this.#parts.now() : epoch * 1_000).toISOString()
    const history = (config.history ?? []).map((step) => ({ created, ...step }))
    return { ...config, created, history }
  }

  /** An image that says the same about the same layers is this one, only earlier. */
  async #sameImage(config: ImageConfig): Promise<string | undefined> {
    const bare = undated(config)
    const others = await this.#parts.workspace.imagesWith(config.rootfs.diff_ids)
    return others.find((other) => isDeepStrictEqual(undated(other.config), bare))?.imageId
  }
}

/** As JSON has it, without times. */
function undated({ created: _, ...config }: ImageConfig): unknown {
  const history = config.history?.map(({ created, ...step }) => step)
  return JSON.parse(JSON.stringify({ ...config, history }))
}

const isKnownArg = (name: string): boolean =>
  /^(HTTP|HTTPS|FTP|NO|ALL)_PROXY$/i.test(name) || name === 'SOURCE_DATE_EPOCH' || name.startsWith('BUILDKIT_')

const nop = (words: string): string => `/bin/sh -c #(nop) ${words}`

const shortOf = (state: StageState): string =>
  cacheKey('state', [state.chainId, state.config, state.history]).slice('sha256:'.length).slice(0, 12)

function notInSource(error: unknown, copy: Copy): unknown {
  if (!(error instanceof Error)) return error
  const [, path] = /^stat (.*): No such file or directory$/.exec(error.message) ?? []
  if (path === undefined) return error
  const where = copy.from === '' ? 'build context or excluded by .dockerignore' : `${copy.from}`
  return new BuildFailure(`${copy.kind} failed: file not found in ${where}: stat ${path}: file does not exist`)
}
