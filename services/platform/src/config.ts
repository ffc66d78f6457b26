// The platform's section of the configuration.
import { existsSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { commandProblem } from '@atoll/documents/ocr/ocr-command'
import { nearestName } from '@atoll/kernel/config/nearest-name'
import type { Setting } from '@atoll/kernel/config/settings'
import { findProgram, isExecutable } from '@atoll/kernel/programs/find-program'
import { RuntimeSettings } from '@atoll/models/config'
import { defaultBackgroundShare } from '@atoll/models/fair-queue'
import { ModelHub } from '@atoll/models/files/config'
import { z } from 'zod'
import { defaultModels } from './inference/default-models.ts'
import { Limit, ModelSettings, runtimeNames } from './inference/settings.ts'
import { McpSettings } from './tool-loop/mcp/settings.ts'

const gibibyte = 1024 ** 3

/** Generous by default: on one's own machine limits protect against runaway loops, not against customers. */
const defaultLimits = { requestsPerMinute: 600_000, tokensPerMinute: 100_000_000, imagesPerMinute: 10_000 }

/** As the hosted service had them at the end of 2024. */
const defaultPrices = { codeInterpreterSession: 0.03, vectorStoreGigabyteDay: 0.1 }
const price = z.number().min(0).max(1_000).meta({ expects: 'US dollars, at most 1000' })

/** Its first 512 numbers tell as much as all of them, in a third of the room. */
const defaultEmbedding = { model: 'text-embedding-3-small', dimensions: 512 }

const isProgram = (name: string): boolean =>
  isAbsolute(name) ? isExecutable(name) : !name.includes('/') && findProgram(name) !== undefined

/** A program for the text on scanned pages. */
const OcrConfig = z.strictObject({
  /** A line or a list of words, with {input} for the path of the PDF; writes text or a PDF to its standard output. */
  command: z
    .union([z.string().min(1).max(10_000), z.array(z.string().max(10_000)).min(1).max(100)], {
      error: 'expected a command, as a line or as a list of its words',
    })
    .superRefine((command, context) => {
      const problem = commandProblem(command)
      if (problem !== undefined) context.addIssue({ code: 'custom', message: `the command ${problem}` })
    }),
  /** For one file. */
  seconds: z.int().min(1).max(86_400).meta({ expects: 'a whole number from 1 to 86400' }).default(1_800),
  /** Of each of its processes. */
  memoryMb: z.int().min(64).max(1_000_000).meta({ expects: 'a whole number from 64 to 1000000' }).default(2_048),
})

export const PlatformConfig = z
  .strictObject({
    maxJsonBytes: z
      .int()
      .min(1024)
      .default(32 * 1024 * 1024),
    files: z
      .strictObject({
        maxOrganizationBytes: z
          .int()
          .min(1)
          .default(100 * gibibyte),
      })
      .prefault({}), // INF-210
    batches: z
      .strictObject({
        /** Requests of batches that one node runs at once. */
        requestsAtOnce: z.int().min(1).max(1_000).default(128),
        /** What they may hold of a model's places, one at least; behind an upstream, of its connections. */
        share: z.number().gt(0).max(1).meta({ expects: 'a number above 0, at most 1' }).default(defaultBackgroundShare),
        /** Lines of the output and error files: as they finish, or as in the input. */
        order: z.enum(['finished', 'input']).meta({ expects: 'finished or input' }).default('finished'),
        maxLineBytes: z
          .int()
          .min(1024)
          .default(32 * 1024 * 1024),
      })
      .prefault({}),
    fineTuning: z
      .strictObject({
        /** That a training may use. Absent: all. */
        cores: z.int().min(1).max(512).meta({ expects: 'a whole number from 1 to 512' }).optional(),
        /** How far a training steps back behind everything else: at 19 it only takes what nobody wants. */
        niceness: z.int().min(0).max(19).meta({ expects: 'a whole number from 0 to 19' }).default(15),
        /** Megabytes that a training may take besides the model's file. Absent: what is free. */
        memoryMb: z.int().min(1).max(10_000_000).meta({ expects: 'a whole number from 1 to 10000000' }).optional(),
        /** Whether examples go through a model that moderates, where one is configured, before they are learnt. */
        moderation: z.boolean().default(true),
        /** Whether a model is held to what it can do already while it learns, so that it forgets less. */
        reminders: z.boolean().default(true),
      })
      .prefault({}),
    vectorStores: z
      .strictObject({
        /** Embeds the chunks of stores that are made from now on; a store stays with the one it began with. */
        embeddingModel: z.string().min(1).max(256).default(defaultEmbedding.model),
        /** Numbers of a vector. Absent: 512 with the default model, and with others what they give. */
        dimensions: z.int().min(1).max(8192).optional(),
        /** What the text of one file may have; a file with more of it is not searched. */
        maxFileTokens: z
          .int()
          .min(1)
          .max(1_000_000_000)
          .meta({ expects: 'a whole number from 1 to 1000000000' })
          .default(2_000_000),
        ocr: OcrConfig.optional(),
      })
      .prefault({}),
    console: z
      .strictObject({
        /** Names under which browsers may open it, besides localhost and addresses: `atoll.example.com`. */
        hosts: z
          .array(
            z
              .string()
              .max(253)
              .regex(/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i),
          )
          .max(100)
          .meta({ expects: 'names of hosts, without a port' })
          .default([]),
      })
      .prefault({}),
    /** Servers whose tools responses may use. */
    mcp: McpSettings.prefault({}),
    audio: z
      .strictObject({
        /** Decodes and writes AAC, for which Atoll may bring no codec. */
        ffmpeg: z
          .string()
          .min(1)
          .max(4_096)
          .refine(isProgram)
          .meta({ expects: 'the name or the whole path of an ffmpeg program on this machine' })
          .optional(),
      })
      .prefault({}),
    realtime: z
      .strictObject({
        /** Ids of `models`: what writes down the user's speech, and what speaks the answers. */
        transcriptionModel: z.string().min(1).max(256).default('whisper-1'),
        speechModel: z.string().min(1).max(256).default('tts-1'),
        /** At once, on one node. */
        maxSessions: z.int().min(1).max(100_000).default(256),
        maxSessionSeconds: z
          .int()
          .min(1)
          .max(86_400)
          .default(30 * 60),
        /** Without an event of the client. */
        idleSeconds: z
          .int()
          .min(1)
          .max(86_400)
          .default(15 * 60),
        /** Of a client that reads nothing of what waits for it. */
        stallSeconds: z.int().min(1).max(3_600).default(30),
      })
      .prefault({}),
    /** The ids callers can name. Absent: the well-known ones. */
    models: z.array(ModelSettings).prefault(defaultModels),
    /** What runs models, by name. The built-in ones need no entry; an entry of such a name takes its place. */
    runtimes: z.record(z.string().min(1).max(256), RuntimeSettings).default({}),
    /** The GGUF file that answers chats. Absent: the newest of `modelsFolder`. */
    chatModel: z
      .string()
      .min(1)
      .refine((path) => existsSync(path))
      .meta({ expects: 'the path of a GGUF file that is there', path: true })
      .optional(),
    /** Absent: `models` in the data folder. */
    modelsFolder: z.string().min(1).meta({ expects: 'the path of a folder', path: true }).optional(),
    /** Where `./atoll models pull` gets them. */
    modelHub: ModelHub,
    /** US dollars. Those of tokens stand with each model. */
    prices: z
      .strictObject({
        codeInterpreterSession: price.default(defaultPrices.codeInterpreterSession),
        vectorStoreGigabyteDay: price.default(defaultPrices.vectorStoreGigabyteDay),
      })
      .prefault({}),
    /** What grows with every call is forgotten after its time, in days. */
    retention: z
      .strictObject({
        /** Single calls; what reports and costs are made of stays. */
        usageEventDays: z
          .int()
          .min(1)
          .max(36_500)
          .meta({ expects: 'a whole number of days from 1 to 36500' })
          .default(90),
        /** Sums by the minute; those by the hour and by the day stay. */
        usageMinuteDays: z
          .int()
          .min(1)
          .max(36_500)
          .meta({ expects: 'a whole number of days from 1 to 36500' })
          .default(400),
      })
      .prefault({}),
    rateLimits: z
      .strictObject({
        requestsPerMinute: z.int().min(1).default(defaultLimits.requestsPerMinute),
        tokensPerMinute: z.int().min(1).default(defaultLimits.tokensPerMinute),
        imagesPerMinute: z.int().min(1).default(defaultLimits.imagesPerMinute),
        /** By project id; they win over a model's own. */
        projects: z.record(z.string(), Limit).default({}),
      })
      .prefault({}),
  })
  .superRefine(({ models, runtimes }, context) => {
    const known = runtimeNames(runtimes)
    for (const [index, { runtime }] of models.entries()) {
      if (runtime === undefined || known.includes(runtime)) continue
      const nearest = nearestName(runtime, known)
      const advice = nearest === undefined ? `there are: ${known.join(', ')}` : `did you mean ${nearest}?`
      const message = `there is no runtime ${runtime}; ${advice}`
      context.addIssue({ code: 'custom', path: ['models', index, 'runtime'], message })
    }
    for (const [index, { voice = {} }] of models.entries()) {
      for (const [role, id] of Object.entries(voice)) {
        if (models.some((model) => model.id === id)) continue
        const message = `there is no model ${id} in this list`
        context.addIssue({ code: 'custom', path: ['models', index, 'voice', role], message })
      }
    }
    for (const [name, runtime] of Object.entries(runtimes)) {
      const variable = runtime.kind === 'upstream' ? runtime.apiKeyEnv : undefined
      if (variable === undefined || process.env[variable]) continue
      const message = `the environment variable ${variable} is not set`
      context.addIssue({ code: 'custom', path: ['runtimes', name, 'apiKeyEnv'], message })
    }
  })
export type PlatformConfig = z.output<typeof PlatformConfig>

export function embeddingChoice({ embeddingModel: model, dimensions }: PlatformConfig['vectorStores']) {
  return { model, dimensions: dimensions ?? (model === defaultEmbedding.model ? defaultEmbedding.dimensions : null) }
}

/** What can also be given in the environment or on the command line. */
export const platformSettings: readonly Setting[] = [
  { key: 'platform.chatModel', variable: 'ATOLL_MODEL', flag: 'model', read: (text) => text },
  { key: 'platform.vectorStores.ocr.command', variable: 'ATOLL_OCR', flag: 'ocr', read: (text) => text },
  { key: 'platform.audio.ffmpeg', variable: 'ATOLL_FFMPEG', flag: 'ffmpeg', read: (text) => text },
  { key: 'platform.modelHub', variable: 'ATOLL_MODEL_HUB', read: (text) => text },
]
