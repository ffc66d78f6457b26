// The platform put together: identity, limits, models and resources behind one HTTP service.
import { createDocuments } from '@atoll/documents/create-documents'
import type { Documents } from '@atoll/documents/documents'
import type { RequestHead, Route } from '@atoll/kernel/http/route'
import type { HttpService, SocketRoute } from '@atoll/kernel/http/service'
import type { Kernel } from '@atoll/kernel/kernel'
import type { Runtimes as RunningRuntimes } from '@atoll/models/runtimes'
import { AuditLog } from './audit/audit-log.ts'
import type { PlatformCallers } from './callers.ts'
import { embeddingChoice, type PlatformConfig } from './config.ts'
import { createConsole } from './console/create-console.ts'
import type { Neighbours } from './console/operation.ts'
import { assistantsVersion } from './conventions/beta-header.ts'
import { standardHeaders } from './conventions/standard-headers.ts'
import { kernelErrors } from './errors/errors.ts'
import type { Recall } from './identity/authenticate.ts'
import { createIdentity, type Identity } from './identity/identity.ts'
import { answerIdentityProblem } from './identity/problem-answer.ts'
import { isMetered } from './inference/catalogue.ts'
import { createInference, modelsFolderOf, type RunningInference } from './inference/create-inference.ts'
import { servedBy } from './inference/settings.ts'
import { sessionRecorder } from './inference/usage/code-sessions.ts'
import { ProjectLimits } from './rate-limits/project-limits.ts'
import { RateLimits } from './rate-limits/rate-limits.ts'
import { createAssistants } from './resources/assistants/create-assistants.ts'
import { createAssistantsV1 } from './resources/assistants-v1/create-assistants-v1.ts'
import { speechRoutes } from './resources/audio/speech/routes.ts'
import { Speech } from './resources/audio/speech/service.ts'
import { transcriptionRoutes } from './resources/audio/transcriptions/routes.ts'
import { Transcriptions } from './resources/audio/transcriptions/service.ts'
import { BatchJobs } from './resources/batches/jobs.ts'
import { batchRoutes } from './resources/batches/routes.ts'
import { RequestRunner } from './resources/batches/run-request.ts'
import { Batches } from './resources/batches/service.ts'
import { KeptAudios } from './resources/chat/completions/audio/kept-audios.ts'
import { chatCompletionRoutes } from './resources/chat/completions/routes.ts'
import { ChatCompletions } from './resources/chat/completions/service.ts'
import { StoredCompletions } from './resources/chat/completions/stored-completions.ts'
import { completionRoutes } from './resources/completions/routes.ts'
import { Completions } from './resources/completions/service.ts'
import { embeddingRoutes } from './resources/embeddings/routes.ts'
import { Embeddings } from './resources/embeddings/service.ts'
import { fileRoutes } from './resources/files/routes.ts'
import { Files } from './resources/files/service.ts'
import { AdapterFiles } from './resources/fine-tuning/adapter-files.ts'
import { createFineTuning } from './resources/fine-tuning/create-fine-tuning.ts'
import { createImages } from './resources/images/create-images.ts'
import type { Images } from './resources/images/service.ts'
import { modelRoutes } from './resources/models/routes.ts'
import { Models } from './resources/models/service.ts'
import { moderationRoutes } from './resources/moderations/routes.ts'
import { Moderations } from './resources/moderations/service.ts'
import { createOrganization } from './resources/organization/create-organization.ts'
import { ModelFiles } from './resources/organization/model-files/service.ts'
import { Runtimes } from './resources/organization/runtimes/service.ts'
import { Server, type ServerFacts } from './resources/organization/server/service.ts'
import { createUsageRoutes } from './resources/organization/usage/create-usage.ts'
import { createRealtime } from './resources/realtime/create-realtime.ts'
import { createResponses } from './resources/responses/create-responses.ts'
import type { Responses } from './resources/responses/service.ts'
import { createRuns } from './resources/threads/runs/create-runs.ts'
import { uploadRoutes } from './resources/uploads/routes.ts'
import { Uploads } from './resources/uploads/service.ts'
import { createVectorStores, readersAtOnce } from './resources/vector-stores/create-vector-stores.ts'
import type { VectorStores } from './resources/vector-stores/service.ts'
import { createToolLoop } from './tool-loop/create-tool-loop.ts'

const expireUploadsEverySeconds = 60

export interface Platform {
  service: HttpService<PlatformCallers>
  identity: Identity
  rateLimits: RateLimits
  files: Files
  uploads: Uploads
  models: Models
  inference: RunningInference
  batchJobs: BatchJobs
  assistants: ReturnType<typeof createAssistants>
  runs: ReturnType<typeof createRuns>
  images: ReturnType<typeof createImages>['kept']
  fineTuning: ReturnType<typeof createFineTuning>
  vectorStores: ReturnType<typeof createVectorStores>
  console: Pick<ReturnType<typeof createConsole>, 'links' | 'isOwnHost' | 'forwarding'>
  close(): Promise<void>
}

interface Given {
  runtimes?: RunningRuntimes | undefined
  documents?: Documents | undefined
  server?: ServerFacts | undefined
  neighbours?: Neighbours
}

/** What is given takes the place of what the configuration describes. */
export function createPlatform(kernel: Kernel, config: PlatformConfig, given: Given = {}): Platform {
  const { db, segments, ids, clock, jobs } = kernel
  const audit = new AuditLog({ db, ids, clock })
  const identity = createIdentity({ ...kernel, audit })
  const console = createConsole(kernel, { ...given, identity, audit, settings: config.console })
  const projectLimits = new ProjectLimits(db, kernel.events)
  const rateLimits = new RateLimits(kernel.limits, config, projectLimits)
  const files = new Files({ db, segments, ids, clock, settings: config.files })
  const uploads = new Uploads({ db, segments, files, ids, clock })
  const models = new Models({ db, events: kernel.events, clock, configured: listedModels(config) })
  const adapters = new AdapterFiles(kernel)
  const inference = createInference({ kernel, config, models, rateLimits, runtimes: given.runtimes, adapters })
  const fineTuning = createFineTuning({ kernel, config, files, models, adapters, runtimes: inference.runtimes })
  jobs.registerPeriodic('expire-uploads', expireUploadsEverySeconds, async () => {
    await uploads.expireOverdue()
  })
  jobs.registerPeriodic('expire-files', expireUploadsEverySeconds, () => files.removeOverdue())
  const embedding = embeddingChoice(config.vectorStores)
  const documents = given.documents ?? readDocuments(kernel, config)
  const vectorStores = createVectorStores({ kernel, inference, files, documents, embedding })
  const assistants = createAssistants(kernel, { files, inference, vectorStores: vectorStores.stores })
  const usageRoutes = createUsageRoutes(kernel, { config, audit, limits: rateLimits, projectLimits })
  const served = servingParts(kernel, config, { inference, server: given.server })
  const speakers = { identity, inference, sessions: console.sessions }
  const realtime = createRealtime(kernel, { ...speakers, settings: config.realtime })
  const answered = inferenceParts(kernel, { inference, files })
  const { stores } = vectorStores
  const used = { inference, files, documents, assistants, vectorStores: stores, images: answered.drawing }
  const looped = loopParts(kernel, config, used)
  const batches = batchParts(kernel, config.batches, { ...answered, ...looped, inference, files })
  const routes = [
    ...[...answered.routes, ...batches.routes],
    ...[...modelRoutes(models), ...fileRoutes(files), ...uploadRoutes(uploads), ...fineTuning.routes],
    ...vectorStores.routes,
    ...assistants.routes,
    ...looped.routes,
    ...createAssistantsV1(kernel, { files, vectorStores: vectorStores.stores, ...assistants, ...looped.runs }),
    ...createOrganization({ identity, audit, queries: db.queries, usageRoutes, ...served }),
    ...console.routes,
    ...realtime.routes,
  ]
  const authenticate: Authenticates = (head, needed) =>
    needed === 'realtime' ? realtime.authenticate(head) : console.authenticate(head, needed)
  const sockets = [...realtime.sockets, ...console.sockets]
  const service = httpService({ ...config, routes, sockets, authenticate, recall: identity.recall, rateLimits })
  const close = async (): Promise<void> => {
    await batches.jobs.close()
    models.close()
    fineTuning.close()
    await served.modelFiles.close()
    projectLimits.close()
    await looped.close()
    vectorStores.close()
    await documents.close()
    await inference.close()
    await identity.close()
  }
  return {
    ...{ service, identity, rateLimits, files, uploads, models, inference },
    batchJobs: batches.jobs,
    ...{ vectorStores, assistants, runs: looped.runs },
    ...{ images: answered.images, fineTuning, console, close },
  }
}

const listedModels = ({ models, runtimes }: PlatformConfig) =>
  models
    .filter((model) => servedBy(model, runtimes).length > 0)
    .map(({ id, ownedBy, created }) => ({ id, owned_by: ownedBy, created }))

interface ServingParts {
  inference: RunningInference
  server: ServerFacts | undefined
}

/** What administrators are told of the server itself, and of what runs its models. */
const servingParts = (kernel: Kernel, config: PlatformConfig, { inference, server }: ServingParts) => ({
  runtimes: new Runtimes({ runtimes: inference.runtimes, models: config.models, configured: config.runtimes }),
  modelFiles: new ModelFiles({ folder: modelsFolderOf(kernel, config), hub: config.modelHub, log: kernel.log }),
  server: server && new Server(server),
})

type Authenticates = (
  head: RequestHead,
  needed: Exclude<keyof PlatformCallers, 'public'>,
) => Promise<PlatformCallers[keyof PlatformCallers]>

interface ServiceParts {
  routes: Route<PlatformCallers>[]
  sockets: SocketRoute<PlatformCallers>[]
  authenticate: Authenticates
  recall: Recall
  rateLimits: RateLimits
  maxJsonBytes: number
}

const withoutHeaders = {}

function httpService(parts: ServiceParts): HttpService<PlatformCallers> {
  const { routes, sockets, authenticate, recall, rateLimits, maxJsonBytes } = parts
  return {
    name: 'platform',
    title: 'Atoll platform',
    version: 'v1',
    errors: kernelErrors,
    routes,
    sockets,
    authenticate: (head, auth) => {
      if (auth === 'public') return null
      const known = auth === 'realtime' ? undefined : recall(head, auth)
      return known ?? authenticate(head, auth).catch(answerIdentityProblem)
    },
    admit: (caller, route) =>
      caller?.kind === 'project' && !isMetered(route)
        ? (rateLimits.admitNow(caller) ?? rateLimits.admit(caller))
        : withoutHeaders,
    chooseVariant: assistantsVersion,
    responseHeaders: standardHeaders,
    maxJsonBytes,
  }
}

interface InferenceParts {
  inference: RunningInference
  files: Files
}

interface BatchParts extends InferenceParts {
  chat: ChatCompletions
  completions: Completions
  embeddings: Embeddings
  responses: Responses
}

interface LoopParts {
  inference: RunningInference
  files: Files
  documents: Documents
  assistants: ReturnType<typeof createAssistants>
  vectorStores: VectorStores
  images: Images
}

/** What works in the loop of model and tools: runs and responses. */
function loopParts(kernel: Kernel, { prices, mcp }: PlatformConfig, parts: LoopParts) {
  const { inference, files, documents, assistants, vectorStores, images } = parts
  const { ids, clock } = kernel
  const sessionBegan = sessionRecorder({ ids, clock, usage: inference.usage, price: prices.codeInterpreterSession })
  const toolLoop = createToolLoop(kernel, { files, vectorStores, sessionBegan })
  const runs = createRuns(kernel, { inference, files, ...assistants, vectorStores, toolLoop })
  const { threads } = assistants
  const used = { inference, files, documents, vectorStores, images, threads, toolLoop }
  const responses = createResponses(kernel, { ...used, ...runs, mcp })
  return {
    runs,
    responses: responses.responses,
    routes: [...runs.routes, ...responses.routes],
    async close() {
      await responses.close()
      await runs.close()
      await toolLoop.close()
    },
  }
}

/** What is answered by a model, at once. */
function inferenceParts(kernel: Kernel, { inference, files }: InferenceParts) {
  const { db, blobs, jobs, ids, clock } = kernel
  const stored = new StoredCompletions(db)
  const audios = new KeptAudios({ db, ids, clock })
  audios.keepRemoving(jobs)
  const chat = new ChatCompletions({ inference, stored, audios, ids, clock })
  const completions = new Completions({ inference, ids, clock })
  const embeddings = new Embeddings({ inference })
  const images = createImages(kernel, { inference, files })
  const routes = [
    ...images.routes,
    ...chatCompletionRoutes(chat, stored),
    ...completionRoutes(completions),
    ...embeddingRoutes(embeddings),
    ...moderationRoutes(new Moderations({ inference, ids })),
    ...speechRoutes(new Speech({ inference })),
    ...transcriptionRoutes(new Transcriptions({ inference, blobs })),
  ]
  return { routes, images: images.kept, drawing: images.images, chat, completions, embeddings }
}

/** What is answered by and by. */
function batchParts(kernel: Kernel, settings: PlatformConfig['batches'], { files, ...endpoints }: BatchParts) {
  const { db, blobs, jobs: kernelJobs, ids, clock, log } = kernel
  const { inference, chat, completions, embeddings, responses } = endpoints
  const runner = new RequestRunner({ inference, chat, completions, embeddings, responses, ids, log })
  const jobs = new BatchJobs({ db, blobs, jobs: kernelJobs, ids, clock, files, runner, settings })
  return { jobs, routes: batchRoutes(new Batches({ db, ids, clock, files, jobs })) }
}

const readDocuments = ({ log }: Kernel, { vectorStores: { maxFileTokens, ocr } }: PlatformConfig): Documents =>
  createDocuments({ log, processes: readersAtOnce, textTokens: maxFileTokens, ocr })
