// Native programs for tests, kept where the engines of this machine keep theirs: the compiler is slow, one build does.
import { buildNative } from '../runtime/native-build.ts'

export const programFolder = '/var/cache/atoll/programs'

let files: Promise<string> | undefined

export function filesProgram(): Promise<string> {
  files ??= buildNative('files', ['archive', 'crypto'], programFolder)
  return files
}
