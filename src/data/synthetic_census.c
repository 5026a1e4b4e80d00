/* Census-like records that are nobody's. Columns depend on each other the way such columns do
 * (education on age, occupation on education, dwelling on age and marriage), a latent score adds
 * up what they are worth, and a person's income is "high" if the score plus logistic noise is
 * above zero: about one in four. docs/synthetic.md gives the law; change both together. */
#include <math.h>
#include <stdio.h>

#include "base/file_write.h"
#include "base/functions.h"
#include "base/progress.h"
#include "dperm/synthetic.h"
#include "random/random_source.h"
#include "schema/schema.h"

const char *dperm_synthetic_census_schema(void) {
  return "{\n"
         "  \"version\": 2,\n"
         "  \"header\": true,\n"
         "  \"missing\": [\"?\", \"\"],\n"
         "  \"label\": {\"column\": \"income\", \"positive\": [\"high\"], \"negative\": "
         "[\"low\"]},\n"
         "  \"columns\": [\n"
         "    {\"name\": \"age\", \"type\": \"numeric\", \"min\": 16, \"max\": 90},\n"
         "    {\"name\": \"sex\", \"type\": \"categorical\", \"values\": [\"female\", \"male\"]},\n"
         "    {\"name\": \"marital_status\", \"type\": \"categorical\",\n"
         "     \"values\": [\"single\", \"married\", \"divorced\", \"widowed\"]},\n"
         "    {\"name\": \"education\", \"type\": \"categorical\",\n"
         "     \"values\": [\"primary\", \"secondary\", \"vocational\", \"bachelor\", \"master\",\n"
         "                \"doctorate\"]},\n"
         "    {\"name\": \"sector\", \"type\": \"categorical\",\n"
         "     \"values\": [\"private\", \"public\", \"self-employed\", \"nonprofit\"]},\n"
         "    {\"name\": \"occupation\", \"type\": \"categorical\",\n"
         "     \"values\": [\"agriculture\", \"crafts\", \"industry\", \"transport\", \"sales\",\n"
         "                \"services\", \"clerical\", \"technical\", \"professional\", "
         "\"management\"]},\n"
         "    {\"name\": \"hours_per_week\", \"type\": \"numeric\", \"min\": 1, \"max\": 99},\n"
         "    {\"name\": \"years_in_job\", \"type\": \"numeric\", \"min\": 0, \"max\": 50},\n"
         "    {\"name\": \"household_size\", \"type\": \"numeric\", \"min\": 1, \"max\": 12},\n"
         "    {\"name\": \"region\", \"type\": \"categorical\",\n"
         "     \"values\": [\"capital\", \"north\", \"east\", \"south\", \"west\", \"islands\"]},\n"
         "    {\"name\": \"dwelling\", \"type\": \"categorical\",\n"
         "     \"values\": [\"owner\", \"tenant\", \"other\"]},\n"
         "    {\"name\": \"investment_income\", \"type\": \"numeric\", \"min\": 0, \"max\": "
         "100000,\n"
         "     \"transform\": \"log1p\"}\n"
         "  ]\n"
         "}\n";
}

/* ---- one person */

typedef struct person {
  int age, male, marital, education, sector, occupation, hours, years, household, region, dwelling;
  int investment;
} person;

static const char *const sexes[] = {"female", "male"};
static const char *const maritals[] = {"single", "married", "divorced", "widowed"};
static const char *const educations[] = {"primary",  "secondary", "vocational",
                                         "bachelor", "master",    "doctorate"};
static const char *const sectors[] = {"private", "public", "self-employed", "nonprofit"};
static const char *const occupations[] = {"agriculture",  "crafts",    "industry", "transport",
                                          "sales",        "services",  "clerical", "technical",
                                          "professional", "management"};
static const char *const regions[] = {"capital", "north", "east", "south", "west", "islands"};
static const char *const dwellings[] = {"owner", "tenant", "other"};

static const double education_worth[] = {-1.3, -0.5, -0.2, 0.8, 1.4, 2.0};
static const double sector_worth[] = {0.1, 0.0, 0.2, -0.3};
static const double occupation_worth[] = {-1.0, -0.2, -0.2, -0.2, 0.2, -1.0, -0.3, 0.5, 0.7, 1.2};
static const double region_worth[] = {0.6, 0.0, -0.2, -0.3, 0.1, -0.4};

/* Index i with probability proportional to weights[i]. */
static int draw_among(random_source *source, const double *weights, int count) {
  double total = 0;
  for (int i = 0; i < count; i++) {
    total += weights[i];
  }
  double at = random_unit(source) * total;
  for (int i = 0; i < count - 1; i++) {
    at -= weights[i];
    if (at < 0) {
      return i;
    }
  }
  return count - 1;
}

static int draw_rounded(random_source *source, double mean, double spread, int low, int high) {
  double value = rint(mean + spread * random_normal(source));
  return (int)fmin(fmax(value, low), high);
}

static int draw_occupation(random_source *source, int education) {
  static const double by_level[3][10] = {{3, 4, 5, 4, 4, 6, 2, 0.5, 0.2, 0.5},
                                         {1.5, 4, 4, 3, 5, 4, 5, 3, 1, 1.5},
                                         {0.3, 0.5, 0.5, 0.4, 2, 1, 2, 4, 8, 4}};
  return draw_among(source, by_level[education == 0 ? 0 : education < 3 ? 1 : 2], 10);
}

static person draw_person(random_source *source) {
  person p = {0};
  p.age = 16 + (int)(74 * math_pow(random_unit(source), 1.3));
  p.male = random_unit(source) < 0.5;
  double young = p.age < 30 ? (30 - p.age) / 10.0 : 0;
  double old = p.age > 60 ? (p.age - 60) / 10.0 : 0;
  p.marital = draw_among(source, (double[]){0.2 + 2 * young, 1.0, 0.25, 0.03 + 0.4 * old}, 4);
  p.education = draw_among(source,
                           (double[]){0.15 + 0.2 * old, 1.0, 0.7, p.age < 20 ? 0.0 : 0.55,
                                      p.age < 23 ? 0.0 : 0.28, p.age < 27 ? 0.0 : 0.05},
                           6);
  p.sector = draw_among(source, (double[]){6, 2, 1.2, 0.6}, 4);
  p.occupation = draw_occupation(source, p.education);
  p.hours = draw_rounded(source, p.age > 65 ? 20 : p.male ? 41 : 36, 11, 1, 99);
  p.years = (int)fmin(50, (p.age - 16) * random_unit(source) * 0.8);
  p.household = 1 + (p.marital == 1) + draw_rounded(source, p.age < 55 ? 0.9 : 0.2, 1.1, 0, 8);
  p.region = draw_among(source, (double[]){2, 1.5, 1.2, 1.6, 1.5, 0.4}, 6);
  double settled = 0.3 + p.age / 60.0 + (p.marital == 1);
  p.dwelling = draw_among(source, (double[]){settled, 1.1, 0.12}, 3);
  bool invests = random_unit(source) < 0.04 + 0.03 * p.education + 0.002 * p.age;
  p.investment = invests ? (int)fmin(250000, math_exp(6.5 + 1.8 * random_normal(source))) : 0;
  return p;
}

/* The latent score; the constant puts about a quarter of the people above zero. */
static double worth(const person *p) {
  double prime = (p->age - 48) / 18.0;
  return -2.55 - 0.75 * prime * prime + 0.25 * p->male + 1.7 * (p->marital == 1) +
         1.1 * education_worth[p->education] + sector_worth[p->sector] +
         1.1 * occupation_worth[p->occupation] + 0.055 * (p->hours - 38) + 0.03 * p->years -
         0.08 * (p->household - 2) + region_worth[p->region] + 0.5 * (p->dwelling == 0) +
         0.16 * math_log1p(p->investment);
}

static const char *or_missing(random_source *source, const char *text, double rate) {
  return random_unit(source) < rate ? "?" : text;
}

dperm_status dperm_synthetic_census_make(const char *path, size_t rows, uint64_t seed,
                                         const dperm_progress *progress, dperm_error *err) {
  enum { TICK = 4096 }; /* records between two questions whether to go on */
  OWNED(output_discard_at) output_file *out = NULL;
  random_source source;
  char line[256];
  FAIL_IF(rows == 0, err, DPERM_INVALID_ARGUMENT, "0 records; ask for at least one");
  TRY(random_seeded(seed, &source, err));
  TRY(output_open(path, false, &out, err));
  static const char header[] =
      "age,sex,marital_status,education,sector,occupation,hours_per_week,years_in_job,"
      "household_size,region,dwelling,investment_income,income\n";
  TRY(output_write(out, header, sizeof header - 1, err));
  for (size_t i = 0; i < rows; i++) {
    if (i % TICK == 0) {
      TRY(progress_tick(progress, "making records", i, rows, err));
    }
    person p = draw_person(&source);
    double u = random_unit(&source), noise = math_log((u + 0x1p-54) / (1 - u));
    bool high = worth(&p) + 0.9 * noise > 0;
    const char *sector = or_missing(&source, sectors[p.sector], 0.04);
    const char *occupation = or_missing(&source, occupations[p.occupation], 0.04);
    int length = snprintf(line, sizeof line, "%d,%s,%s,%s,%s,%s,%d,%d,%d,%s,%s,%d,%s\n", p.age,
                          sexes[p.male], maritals[p.marital], educations[p.education], sector,
                          occupation, p.hours, p.years, p.household, regions[p.region],
                          dwellings[p.dwelling], p.investment, high ? "high" : "low");
    TRY(output_write(out, line, (size_t)length, err));
  }
  return output_commit(TAKE(out), err);
}
