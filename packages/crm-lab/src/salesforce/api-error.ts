/** An error response of the REST API: a list with one error, and its status. */
export class ApiError extends Error {
  readonly status: number;
  readonly errorCode: string;

  constructor(status: number, errorCode: string, message: string) {
    super(message);
    this.status = status;
    this.errorCode = errorCode;
  }

  get body(): unknown {
    return [{ message: this.message, errorCode: this.errorCode }];
  }
}

export function malformedQuery(message: string): ApiError {
  return new ApiError(400, 'MALFORMED_QUERY', message);
}

export function invalidField(message: string): ApiError {
  return new ApiError(400, 'INVALID_FIELD', message);
}

export function notFound(): ApiError {
  return new ApiError(404, 'NOT_FOUND', 'The requested resource does not exist');
}
