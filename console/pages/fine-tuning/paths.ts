export const jobsPath = '/v1/fine_tuning/jobs'
