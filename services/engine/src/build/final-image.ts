// The image that a build ends with.
import { isDeepStrictEqual } from 'node:util'
import type { BuildWorkspace } from '../images/build-store.ts'
import type { ImageConfig } from '../images/images.ts'
import { BuildFailure } from './failure.ts'
import type { BuildOptions } from './options.ts'
import type { StageState } from './stage-state.ts'

interface FinalParts {
  workspace: BuildWorkspace
  options: BuildOptions
  now(): number
}

/** Returns its id. */
export async function keepFinalImage(built: StageState, parts: FinalParts): Promise<string> {
  const { workspace, options } = parts
  const state = withLabels(built, options)
  const config = imageOf(state)
  const same = options.isCacheOff ? undefined : await sameImage(config, workspace)
  const imageId = same ?? (await workspace.image(dated(config, parts), state.layers))
  await workspace.name(imageId, options.names)
  return imageId
}

/** `--build-arg SOURCE_DATE_EPOCH`: the same build gives the same bytes. */
export function epochOf({ buildArgs }: BuildOptions): number | undefined {
  const given = buildArgs.SOURCE_DATE_EPOCH
  if (given === undefined || given === null || given === '') return undefined
  if (!/^\d{1,12}$/.test(given)) throw new BuildFailure(`SOURCE_DATE_EPOCH must be a number of seconds, not ${given}`)
  return Number(given)
}

function withLabels(built: StageState, options: BuildOptions): StageState {
  const labels = Object.entries(options.labels)
  if (labels.length === 0) return built
  const state = built.successor()
  state.config.Labels = { ...state.config.Labels, ...options.labels }
  state.note(`/bin/sh -c #(nop) LABEL ${labels.map(([key, value]) => `${key}=${value}`).join(' ')}`, true)
  return state
}

const imageOf = (state: StageState): ImageConfig => ({
  ...state.platform,
  ...(state.author && { author: state.author }),
  config: state.config,
  rootfs: { type: 'layers', diff_ids: state.layers.map(({ diffId }) => diffId) },
  history: state.history,
})

function dated(config: ImageConfig, { options, now }: FinalParts): ImageConfig {
  const epoch = epochOf(options)
  const created = new Date(epoch === undefined ? now() : epoch * 1_000).toISOString()
  const history = (config.history ?? []).map((step) => ({ created, ...step }))
  return { ...config, created, history }
}

/** An image that says the same about the same layers is this one, only earlier. */
async function sameImage(config: ImageConfig, workspace: BuildWorkspace): Promise<string | undefined> {
  const bare = undated(config)
  const others = await workspace.imagesWith(config.rootfs.diff_ids)
  return others.find((other) => isDeepStrictEqual(undated(other.config), bare))?.imageId
}

/** As JSON has it, without times. */
function undated({ created: _, ...config }: ImageConfig): unknown {
  const history = config.history?.map(({ created, ...step }) => step)
  return JSON.parse(JSON.stringify({ ...config, history }))
}
