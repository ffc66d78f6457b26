// Images for machines of another kind: files can be put together for them, but nothing in them can be run here.
import { existsSync } from 'node:fs'
import { invalidParameter } from '../errors.ts'
import type { Platform } from '../images/images.ts'
import { hostPlatform, isKnownSystem, platformText } from '../images/platform.ts'
import type { Instruction } from './dockerfile/dockerfile.ts'
import type { BuildPlan } from './plan.ts'

/** As QEMU's emulators are known to the kernel. */
const emulatorNames: Readonly<Record<string, string>> = { arm64: 'aarch64', amd64: 'x86_64', '386': 'i386' }

function canRun({ os, architecture }: Platform): boolean {
  if (os !== hostPlatform.os) return false
  if (architecture === hostPlatform.architecture) return true
  if (architecture === '386' && hostPlatform.architecture === 'amd64') return true
  return existsSync(`/proc/sys/fs/binfmt_misc/qemu-${emulatorNames[architecture] ?? architecture}`)
}

/** Before anything is done: what was asked for in words. */
export function refuseForeignPlan(plan: BuildPlan): void {
  for (const index of plan.needed) {
    const platform = platformOf(plan, index)
    if (platform === undefined) continue
    if (platform.os !== 'linux') {
      const why = isKnownSystem(platform.os) ? '' : ' unknown operating system;'
      throw invalidParameter(
        `invalid platform ${platformText(platform)}:${why} this engine builds images for linux alone`,
      )
    }
    refuseForeignRun(platform, plan.stages[index]?.stage.instructions ?? [])
  }
}

/** Before the first step of a stage: a base image is what it is, whatever was asked for. */
export function refuseForeignRun(platform: Platform, instructions: readonly Instruction[]): void {
  const run = instructions.find(({ kind }) => kind === 'RUN')
  if (run === undefined || canRun(platform)) return
  throw invalidParameter(
    `RUN on line ${run.place.line} cannot be run for ${platformText(platform)}: this machine is ${platformText(hostPlatform)} and has no emulator. ` +
      'Let a stage of this machine make the files (FROM --platform=$BUILDPLATFORM) and copy them, or build on such a machine',
  )
}

function platformOf(plan: BuildPlan, index: number): Platform | undefined {
  const planned = plan.stages[index]
  if (planned === undefined) return undefined
  const { base } = planned
  return typeof base === 'object' && 'stage' in base ? platformOf(plan, base.stage) : planned.platform
}
