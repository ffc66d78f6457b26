// What `./atoll backup` was told about places and passphrases.
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { folderPlace } from '@atoll/kernel/backup/places/folder'
import type { Place } from '@atoll/kernel/backup/places/place'
import { type S3Config, s3Config } from '@atoll/kernel/config/blob-config'
import type { DatabaseTarget } from '@atoll/kernel/db/open'
import { CommandProblem } from '../command-problem.ts'
import { type AtollConfig, loadAtollConfig } from '../config.ts'

export interface PlaceFlags {
  data?: string
  config?: string
  database?: string
  passphraseFile?: string
}

const minPassphrase = 12

export function configOf({ config: file, data, database }: PlaceFlags): Promise<AtollConfig> {
  return loadAtollConfig({ file, env: process.env, flags: { data, database } })
}

export function databaseOf({ data, database: { url, ...pool } }: AtollConfig): DatabaseTarget {
  return url === undefined ? { kind: 'sqlite', folder: data } : { kind: 'postgres', url, ...pool }
}

export async function passphraseOf({ passphraseFile }: PlaceFlags): Promise<string | undefined> {
  const given =
    passphraseFile === undefined
      ? process.env.ATOLL_BACKUP_PASSPHRASE || undefined
      : (await readFile(passphraseFile, 'utf8').catch(() => refuse(`${passphraseFile} cannot be read.`))).split('\n')[0]
  if (given === undefined || given.length >= minPassphrase) return given
  throw new CommandProblem(`the passphrase is too short: give ${minPassphrase} characters at least.`)
}

export async function placeOf(text: string, config: AtollConfig): Promise<Place> {
  if (!text.startsWith('s3:')) return folderPlace(resolve(text))
  const { bucketPlace } = await import('@atoll/kernel/backup/places/bucket')
  return bucketPlace(bucketOf(text, config.blobs.s3))
}

/** `s3://bucket/prefix?endpoint=…&region=…`; what is not said is as for blobs. */
function bucketOf(text: string, blobs: S3Config | undefined): S3Config {
  const url = URL.canParse(text) ? new URL(text) : refuse(`${text} is not like s3://bucket/prefix.`)
  const { endpoint = blobs?.endpoint, region = blobs?.region, ...others } = Object.fromEntries(url.searchParams)
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) refuse(`s3://…?${unknown}: there are endpoint and region.`)
  // A key is for the store it was given for.
  const isSame = blobs !== undefined && endpoint === blobs.endpoint
  const parsed = s3Config.safeParse({
    ...(isSame ? blobs : {}),
    bucket: url.hostname,
    prefix: decodeURIComponent(url.pathname.slice(1)),
    ...(endpoint !== undefined && { endpoint }),
    ...(region !== undefined && { region }),
  })
  return parsed.success ? parsed.data : refuse(`${text}: ${parsed.error.issues[0]?.path.join('.')} is wrong.`)
}

function refuse(message: string): never {
  throw new CommandProblem(message)
}
