// Which part may use which. A rule says: files that match `from` must not import what matches `forbidden`.
export interface DependencyRule {
  why: string
  from: RegExp
  except?: RegExp
  forbidden: RegExp
  /** Types may cross the border. */
  typesAllowed?: boolean
}

/** Tests, and what only they use. */
const tests = /\.test\.ts$|\/testing\/|^cli\/(crash|engine|nodes)\/|^packages\/testkit\/|^architecture\//

const engine = (name: string, home: RegExp): DependencyRule => ({
  why: `${name} is used behind its kernel port only`,
  from: /^(packages|services|cli)\//,
  except: new RegExp(`${home.source}|${tests.source}`),
  forbidden: new RegExp(`^(node:)?${name}(/|$)`),
})

export const dependencyRules: DependencyRule[] = [
  engine('find-my-way', /^packages\/kernel\/http\//),
  engine('@fastify', /^packages\/kernel\/http\//),
  engine('selfsigned', /^packages\/kernel\/http\//),
  engine('sqlite', /^packages\/kernel\/db\/sqlite\//),
  { ...engine('pg', /^packages\/kernel\/db\/postgres\//), typesAllowed: true },
  engine('@aws-sdk', /^packages\/kernel\/blobs\/s3\//),
  engine('usearch', /^packages\/kernel\/vectors\//),
  engine('pino', /^packages\/kernel\/telemetry\//),
  engine('@opentelemetry', /^packages\/kernel\/telemetry\//),
  engine('yaml', /^packages\/kernel\/config\//),
  { ...engine('ws', /^packages\/kernel\/http\//), typesAllowed: true },
  engine('@node-llama-cpp', /^packages\/models\/builtin\/llama\//),
  engine('@resvg', /^packages\/models\/builtin\/illustrator\//),
  engine('undici', /^packages\/models\/upstream\//),
  engine('unpdf', /^packages\/documents\//),
  engine('htmlparser2', /^packages\/documents\//),
  engine('pyodide', /^packages\/sandbox\//),
  {
    why: 'models know the kernel and nothing above them',
    from: /^packages\/models\//,
    except: tests,
    forbidden: /^(services|cli|bench|packages\/testkit)\//,
  },
  {
    why: 'the kernel knows no service',
    from: /^packages\/kernel\//,
    except: tests,
    forbidden: /^(services|cli|packages\/(testkit|models|documents|sandbox|trainer))\//,
  },
  {
    why: 'documents and the sandbox know the kernel and nothing above it',
    from: /^packages\/(documents|sandbox)\//,
    except: tests,
    forbidden: /^(services|cli|bench|packages\/(testkit|models))\//,
  },
  {
    why: 'the trainer knows models and the kernel, and nothing above them',
    from: /^packages\/trainer\//,
    except: tests,
    forbidden: /^(services|cli|bench|packages\/(testkit|documents|sandbox))\//,
  },
  {
    why: 'services never import the command line or the testkit',
    from: /^services\//,
    except: tests,
    forbidden: /^(cli|packages\/testkit|bench)\//,
  },
  ...['platform', 'engine', 'hooks', 'cluster'].map((service) => ({
    why: 'services never import one another; they talk through their public APIs',
    from: new RegExp(`^services/${service}/`),
    forbidden: new RegExp(`^services/(?!${service}/)`),
  })),
  {
    why: 'the console uses the public API; of the services it knows the types of their schemas, of sound one calculation',
    from: /^console\//,
    except: tests,
    forbidden:
      /^(packages\/(?!models\/audio\/resampler\.ts$)|cli|bench|services\/(?!(platform|cluster|hooks)\/src\/(.+\/)?schema\.ts$))/,
  },
  {
    why: 'the console takes types from schemas, and no code: that would come into browsers',
    from: /^console\//,
    except: tests,
    forbidden: /^services\//,
    typesAllowed: true,
  },
  {
    why: 'the commands of an operator speak to a running cluster over HTTP, and know the types of its schemas',
    from: /^cli\/cluster\//,
    except: tests,
    forbidden: /^services\/(?!cluster\/src\/(.+\/)?schema\.ts$)/,
  },
  {
    why: 'the commands of an operator take types from schemas, and no code',
    from: /^cli\/cluster\//,
    except: tests,
    forbidden: /^services\//,
    typesAllowed: true,
  },
  {
    why: 'a schema imports nothing but zod and other schemas',
    from: /\/resources\/.*\/schema\.ts$/,
    forbidden: /^(?!zod$)(?!.*\/schema\.ts$)/,
  },
  {
    why: 'routes speak to services, never to stores or the database',
    from: /\/resources\/.*\/routes\.ts$/,
    forbidden: /\/store\.ts$|^packages\/kernel\/(db|jobs|events|blobs)\//,
  },
  {
    why: 'a service knows no SQL and no HTTP framework',
    from: /\/resources\/.*\/service\.ts$/,
    forbidden: /^kysely$|^packages\/kernel\/http\/(?!route\.ts$)/,
  },
  {
    why: 'a store knows the database alone',
    from: /\/resources\/.*\/store\.ts$/,
    forbidden: /\/(service|routes)\.ts$|^packages\/kernel\/(?!db\/)/,
  },
]

/** A resource uses another resource's service, never its store. */
export function crossesIntoStore(from: string, target: string): boolean {
  if (tests.test(from) || !/\/resources\/.*\/store\.ts$/.test(target)) return false
  return target.replace(/\/store\.ts$/, '') !== from.replace(/\/[^/]+$/, '')
}
