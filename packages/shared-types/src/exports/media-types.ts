/** The media type of an Excel workbook (.xlsx). */
export const workbookMediaType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
