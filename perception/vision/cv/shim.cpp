//go:build opencv

#include "shim.h"

#include <opencv2/core.hpp>
#include <opencv2/core/utils/logger.hpp>
#include <opencv2/dnn.hpp>
#include <opencv2/objdetect.hpp>
#include <opencv2/objdetect/face.hpp>

#include <cstdio>
#include <string>
#include <vector>

namespace {

// guarded runs f; what it throws becomes bad and a text.
template <typename T, typename F>
T guarded(char* err, T bad, F f) {
  try {
    return f();
  } catch (const std::exception& e) {
    std::snprintf(err, CV_TEXT, "%s", e.what());
  } catch (...) {
    std::snprintf(err, CV_TEXT, "unknown exception");
  }
  return bad;
}

int fail(char* err, const char* text) {
  std::snprintf(err, CV_TEXT, "%s", text);
  return -1;
}

// OpenCV prints every exception before it throws it; the text is returned, which is enough.
int quiet(int, const char*, const char*, const char*, int, void*) { return 0; }

struct hush {
  hush() {
    cv::redirectError(quiet);
    cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
  }
};

void be_quiet() { static hush once; }

}  // namespace

int cv_selftest(char* err) {
  be_quiet();
  return guarded(err, -1, [&] {
    CV_Error(cv::Error::StsError, "self-test");
    return 0;
  });
}

void* cv_cascade_open(const char* path, char* err) {
  be_quiet();
  return guarded<void*>(err, nullptr, [&]() -> void* {
    cv::Ptr<cv::CascadeClassifier> c = cv::makePtr<cv::CascadeClassifier>();
    if (!c->load(path) || c->empty()) {
      fail(err, "it holds no cascade");
      return nullptr;
    }
    return new cv::Ptr<cv::CascadeClassifier>(c);
  });
}

int cv_cascade_find(void* c, void* gray, double scale, int neighbours, int smallest, cv_hit* out, int max, char* err) {
  return guarded(err, -1, [&] {
    std::vector<cv::Rect> boxes;
    std::vector<int> levels;
    std::vector<double> weights;
    auto& classifier = **static_cast<cv::Ptr<cv::CascadeClassifier>*>(c);
    classifier.detectMultiScale(*static_cast<cv::Mat*>(gray), boxes, levels, weights, scale, neighbours, 0,
                                cv::Size(smallest, smallest), cv::Size(), true);
    int n = 0;
    for (size_t i = 0; i < boxes.size() && n < max; i++, n++) {
      const cv::Rect& b = boxes[i];
      out[n] = {float(b.x), float(b.y), float(b.width), float(b.height), i < weights.size() ? float(weights[i]) : 0,
                b.x + b.width / 2.f, b.y + b.height / 2.f, {}};
    }
    return n;
  });
}

void cv_cascade_close(void* c) { delete static_cast<cv::Ptr<cv::CascadeClassifier>*>(c); }

void* cv_yunet_open(const char* path, int width, int height, float score, float overlap, char* err) {
  be_quiet();
  return guarded<void*>(err, nullptr, [&]() -> void* {
    cv::Ptr<cv::FaceDetectorYN> f = cv::FaceDetectorYN::create(path, "", cv::Size(width, height), score, overlap, 50);
    if (f.empty()) {
      fail(err, "it holds no YuNet");
      return nullptr;
    }
    // The file is only looked at by use: a wrong one shows itself now.
    cv::Mat faces, black = cv::Mat::zeros(height, width, CV_8UC3);
    f->detect(black, faces);
    return new cv::Ptr<cv::FaceDetectorYN>(f);
  });
}

int cv_yunet_find(void* f, void* bgr, cv_hit* out, int max, char* err) {
  return guarded(err, -1, [&] {
    cv::Mat faces;  // a row a face: box, five points (eyes, nose, corners of the mouth), score
    (*static_cast<cv::Ptr<cv::FaceDetectorYN>*>(f))->detect(*static_cast<cv::Mat*>(bgr), faces);
    if (!faces.empty() && (faces.cols != 15 || faces.type() != CV_32F)) return fail(err, "it is no YuNet: other output");
    int n = 0;
    for (int i = 0; i < faces.rows && n < max; i++, n++) {
      const float* r = faces.ptr<float>(i);
      out[n] = {r[0], r[1], r[2], r[3], r[14], r[8], r[9], {r[4], r[5], r[6], r[7]}};
    }
    return n;
  });
}

void cv_yunet_close(void* f) { delete static_cast<cv::Ptr<cv::FaceDetectorYN>*>(f); }

void* cv_net_open(const char* path, char* err) {
  be_quiet();
  return guarded<void*>(err, nullptr, [&]() -> void* {
    cv::dnn::Net net = cv::dnn::readNetFromONNX(path);
    if (net.empty()) {
      fail(err, "it holds no network");
      return nullptr;
    }
    net.setPreferableBackend(cv::dnn::DNN_BACKEND_OPENCV);
    return new cv::dnn::Net(net);
  });
}

int cv_net_run(void* n, void* blob, float* out, int max, int* rows, int* columns, char* err) {
  return guarded(err, -1, [&] {
    auto& net = *static_cast<cv::dnn::Net*>(n);
    net.setInput(*static_cast<cv::Mat*>(blob));
    cv::Mat result = net.forward();
    if (result.dims != 3 || result.size[0] != 1 || result.type() != CV_32F || !result.isContinuous())
      return fail(err, "its output is not [1, rows, columns] of floats");
    *rows = result.size[1];
    *columns = result.size[2];
    if (result.total() > size_t(max)) return fail(err, "its output is too large");
    std::copy(result.ptr<float>(), result.ptr<float>() + result.total(), out);
    return 0;
  });
}

void cv_net_close(void* n) { delete static_cast<cv::dnn::Net*>(n); }
