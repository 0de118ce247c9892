#include "cmd/report/html.h"

#include <inttypes.h>

/* In pixels: a wide chart scrolls and is not scaled. */
#define COLUMN 26
#define LEAST_WIDTH 320
#define MOST_WIDTH 1000
#define HEIGHT 260.0
#define LEFT 78.0
#define RIGHT 12.0
#define TOP 14.0
#define BOTTOM 40.0
#define MOST_COLUMNS 300
#define TICKS 4

struct chart {
  FILE *stream;
  const uint64_t *levels;
  size_t count, step, columns; /* `step` levels per column */
  double width;
  uint64_t top; /* upper end of the axis */
};

/* The largest of the levels of a column. */
static uint64_t column_value(const struct chart *chart, size_t column) {
  uint64_t most = 0;
  for (size_t i = column * chart->step; i < (column + 1) * chart->step && i < chart->count; i++)
    most = chart->levels[i] > most ? chart->levels[i] : most;
  return most;
}

/* The smallest of these numbers times a power of ten that is >= value: its quarters are round numbers. */
static uint64_t round_up(uint64_t value) {
  static const uint64_t heads[] = {4, 8, 12, 16, 20, 24, 32, 40};
  for (uint64_t power = 1; power < UINT64_MAX / 100; power *= 10)
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
      if (heads[i] * power >= value)
        return heads[i] * power;
  return value;
}

static double chart_x(const struct chart *chart, double column) {
  return LEFT + (chart->width - LEFT - RIGHT) * column / (double)chart->columns;
}

static double chart_y(const struct chart *chart, uint64_t value) {
  return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (double)value / (double)chart->top;
}

static void put_ticks(const struct chart *chart) {
  for (uint64_t i = 0; i <= TICKS; i++) {
    uint64_t value = chart->top / TICKS * i;
    double y = chart_y(chart, value);
    fprintf(chart->stream,
            "<line class=\"grid\" x1=\"%.0f\" x2=\"%.0f\" y1=\"%.1f\" y2=\"%.1f\"/>"
            "<text x=\"%.0f\" y=\"%.1f\" text-anchor=\"end\">",
            LEFT, chart->width - RIGHT, y, y, LEFT - 6, y + 4);
    html_number(chart->stream, value);
    fputs("</text>\n", chart->stream);
  }
}

/* About ten levels get a label. */
static void put_level_labels(const struct chart *chart) {
  size_t every = 1;
  for (size_t i = 0; chart->columns / every > 12; i++)
    every = every * (i % 3 == 1 ? 5 : 4) / 2;
  for (size_t i = 0; i < chart->columns; i += every)
    fprintf(chart->stream, "<text x=\"%.1f\" y=\"%.0f\" text-anchor=\"middle\">%zu</text>\n",
            chart_x(chart, (double)i + 0.5), HEIGHT - BOTTOM + 16, i * chart->step);
  fprintf(chart->stream, "<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"middle\">level</text>\n",
          (LEFT + chart->width - RIGHT) / 2, HEIGHT - 6);
}

static void put_column_title(const struct chart *chart, size_t column, uint64_t value) {
  size_t first = column * chart->step, last = first + chart->step - 1;
  last = last < chart->count ? last : chart->count - 1;
  fputs("<title>", chart->stream);
  if (first == last)
    fprintf(chart->stream, "level %zu: ", first);
  else
    fprintf(chart->stream, "levels %zu to %zu: up to ", first, last);
  html_number(chart->stream, value);
  fprintf(chart->stream, " state%s</title>", value == 1 ? "" : "s");
}

static void put_columns(const struct chart *chart) {
  double gap = chart->columns < 120 ? 1 : 0;
  for (size_t i = 0; i < chart->columns; i++) {
    uint64_t value = column_value(chart, i);
    double y = chart_y(chart, value), left = chart_x(chart, (double)i), right = chart_x(chart, (double)i + 1);
    fprintf(chart->stream, "<rect class=\"bar\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\">", left, y,
            right - left - gap, HEIGHT - BOTTOM - y);
    put_column_title(chart, i, value);
    fputs("</rect>\n", chart->stream);
  }
}

void html_chart(FILE *stream, const uint64_t *levels, size_t count) {
  struct chart chart = {.stream = stream, .levels = levels, .count = count};
  uint64_t most = 1;
  if (count == 0)
    return;
  chart.step = (count + MOST_COLUMNS - 1) / MOST_COLUMNS;
  chart.columns = (count + chart.step - 1) / chart.step;
  for (size_t i = 0; i < chart.columns; i++)
    most = column_value(&chart, i) > most ? column_value(&chart, i) : most;
  chart.top = round_up(most);
  const double natural = LEFT + RIGHT + COLUMN * (double)chart.columns;
  chart.width = natural < LEAST_WIDTH ? LEAST_WIDTH : natural > MOST_WIDTH ? MOST_WIDTH : natural;
  fprintf(stream,
          "<svg class=\"levels\" width=\"%.0f\" height=\"%.0f\" role=\"img\" aria-label=\"States per level\">\n",
          chart.width, HEIGHT);
  put_ticks(&chart);
  put_columns(&chart);
  put_level_labels(&chart);
  fputs("</svg>\n", stream);
}
