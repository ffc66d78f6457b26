// A program that has a PDF recognized by the program it is told, for tests that kill it meanwhile.
import { silentLog } from '@atoll/testkit/silent-log'
import { defaultLimits } from '../limits.ts'
import { Ocr } from '../ocr/ocr.ts'
import { fileOf } from './source.ts'

const [program = ''] = process.argv.slice(2)
const settings = { command: [program, '{input}'], seconds: 600, memoryMb: 1_024 }
const ocr = new Ocr({ settings, limits: defaultLimits, log: silentLog })
const scan = fileOf('scan.pdf', 'never looked at')
for await (const _ of ocr.chunks(scan, new AbortController().signal, async function* () {})) process.exit(1)
