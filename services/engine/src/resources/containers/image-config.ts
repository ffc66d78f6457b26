// What an image says about its containers, where the request is silent.
import { posix } from 'node:path'
import type { ImageConfig } from '../../images/images.ts'
import type { ContainerConfig } from './schema.ts'

type Defaults = NonNullable<ImageConfig['config']>

export function withImageConfig(asked: ContainerConfig, image: Defaults = {}): ContainerConfig {
  const { entrypoint, command } = commandOf(asked, image)
  const healthcheck = healthcheckOf(asked, image)
  return {
    ...asked,
    User: asked.User || image.User || '',
    Env: mergeEnv(asked.Env ?? [], image.Env ?? []),
    Cmd: command,
    Entrypoint: entrypoint,
    WorkingDir: cleanPath(asked.WorkingDir) || image.WorkingDir || '',
    StopSignal: asked.StopSignal || image.StopSignal || undefined,
    Shell: asked.Shell ?? image.Shell,
    ExposedPorts: union(image.ExposedPorts, asked.ExposedPorts),
    Volumes: union(image.Volumes, asked.Volumes),
    Labels: { ...image.Labels, ...asked.Labels },
    Healthcheck: healthcheck,
  }
}

/** `/tmp/` and `/a/../tmp` are `/tmp`. What is no path at all is refused as it came. */
const cleanPath = (path: string | undefined): string | undefined =>
  path?.startsWith('/') ? posix.join(path, '.').replace(/(.)\/$/, '$1') : path

/** The image's command belongs to the image's entry point: with another one it means nothing. */
function commandOf(asked: ContainerConfig, image: Defaults) {
  const isOwnEntrypoint = asked.Entrypoint !== undefined && asked.Entrypoint.length > 0
  const command = asked.Cmd?.length || isOwnEntrypoint ? asked.Cmd : (image.Cmd ?? undefined)
  const entrypoint = asked.Entrypoint ?? image.Entrypoint ?? undefined
  // One empty word is how a caller takes the image's entry point away.
  const isReset = entrypoint?.length === 1 && entrypoint[0] === ''
  return { entrypoint: isReset ? undefined : entrypoint, command }
}

const nameOf = (variable: string): string => variable.split('=', 1)[0] ?? ''

function mergeEnv(asked: readonly string[], image: readonly string[]): string[] {
  const named = new Set(asked.map(nameOf))
  return [...asked, ...image.filter((variable) => !named.has(nameOf(variable)))]
}

function union(
  image: Record<string, object | null> | null | undefined,
  asked: ContainerConfig['Volumes'],
): ContainerConfig['Volumes'] {
  const all = [...Object.keys(image ?? {}), ...Object.keys(asked ?? {})]
  return all.length === 0 ? undefined : Object.fromEntries(all.map((key) => [key, {}]))
}

function healthcheckOf({ Healthcheck: asked }: ContainerConfig, { Healthcheck: image }: Defaults) {
  if (asked === undefined) return image === undefined ? undefined : { ...noCheck, ...image }
  return {
    Test: asked.Test?.length ? asked.Test : image?.Test,
    Interval: asked.Interval || image?.Interval,
    Timeout: asked.Timeout || image?.Timeout,
    Retries: asked.Retries || image?.Retries,
    StartPeriod: asked.StartPeriod || image?.StartPeriod,
    StartInterval: asked.StartInterval || image?.StartInterval,
  }
}

const noCheck = {
  Test: undefined,
  Interval: undefined,
  Timeout: undefined,
  Retries: undefined,
  StartPeriod: undefined,
  StartInterval: undefined,
}
